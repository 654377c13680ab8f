#include "solvers/geometry/topology/candidate_list.h"

MERGANSER_BEGIN

namespace {
struct CountMarked {
  static constexpr const char* name = "topology count marked";
  View<const int> row_first;
  View<const unsigned char> mark;
  View<int> count;
  MERGANSER_METHOD void operator()(int i) const {
    int marked = 0;
    for (int e = row_first[i]; e < row_first[i + 1]; ++e) marked += mark[e];
    count[i] = marked;
  }
};

struct ListMarked {
  static constexpr const char* name = "topology list marked";
  View<const int> row_first;
  View<const unsigned char> mark;
  View<const int> first;
  View<int> entry, row;
  MERGANSER_METHOD void operator()(int i) const {
    int at = first[i];
    if (first[i + 1] == at) return;
    for (int e = row_first[i]; e < row_first[i + 1]; ++e)
      if (mark[e]) {
        entry[at] = e;
        row[at++] = i;
      }
  }
};
}  // namespace

void CandidateList::build(View<const int> row_first, View<const unsigned char> mark) {
  const int rows = row_first.count - 1;
  first_.resize(rows + 1);
  launch(rows, CountMarked{row_first, mark, first_.view()});
  exclusive_scan(first_.const_view().subview(0, rows), first_.view(), scratch_);
  const int total = read_back(first_.const_view(), rows);
  entry_.resize(total);
  row_.resize(total);
  if (total > 0) launch(rows, ListMarked{row_first, mark, first_.const_view(), entry_.view(), row_.view()});
}

MERGANSER_END
