#include "solvers/methods/peridynamics/bond_product.h"

#include <algorithm>

#include "device/row_sums.h"

MERGANSER_BEGIN

namespace {
/// Keeps the bonds of a row and sums its diagonal block.
struct KeepBonds {
  static constexpr const char* name = "peridynamics kept stiffness";
  using Value = BondValue<float>;
  BondListView bonds;
  BondFields fields;
  KeptBondsView at;
  View<KeptBond> kept;              ///< written
  View<Quad> position;              ///< [m], written
  View<SymmetricMatrix3> diagonal;  ///< [N/m], written
  MERGANSER_METHOD int begin(int) const { return 0; }
  MERGANSER_METHOD int end(int row) const { return at.length(row); }
  MERGANSER_METHOD Value operator()(int row, int k) const {
    const int neighbor = bonds.neighbor[bonds.first[row] + k];
    KeptBond& bond = kept[at.entry(row, k)];
    if (neighbor < 0) {
      bond = {row, 0};
      return {};
    }
    const BondEnd<float> i = fields.load<StiffnessDiagonal>(row),
                         j = fields.load<StiffnessDiagonal>(neighbor);
    const Vec3 y = j.position - i.position;
    const float stiffness = directed_stiffness(bonds.materials[bonds.material[row]], i, j, y);
    bond = {neighbor, stiffness};
    return stiffness_block(y, stiffness);
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& s, const Value& t) { return {s.a + t.a, s.b + t.b}; }
  MERGANSER_METHOD void finish(int row, const Value& s) const {
    position[row] = {fields.position.x[row], fields.position.y[row], fields.position.z[row], 0};
    diagonal[row] = {s.a.x, s.a.y, s.a.z, s.b.x, s.b.y, s.b.z};
  }
};

struct PackVectors {
  static constexpr const char* name = "peridynamics pack vectors";
  View<const Vec3> from;
  View<Quad> to;
  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 v = from[i];
    to[i] = {v.x, v.y, v.z, 0};
  }
};

MERGANSER_FN Vec3 difference(const Quad& a, const Quad& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

/// sum_j k_ij n n^T (u_j - u_i) from kept bonds, and what BondProduct makes of it.
struct KeptBondProduct {
  static constexpr const char* name = "peridynamics kept product";
  using Value = Vec3;
  BondProduct term;
  KeptBondsView bonds;
  MERGANSER_METHOD int begin(int) const { return 0; }
  MERGANSER_METHOD int end(int row) const { return term.skip() ? 0 : bonds.length(row); }
  MERGANSER_METHOD Vec3 operator()(int row, int k) const {
    const KeptBond bond = bonds.bond[bonds.entry(row, k)];
    const Quad position = bonds.position[bond.neighbor], vector = bonds.vector[bond.neighbor];
    const Vec3 y = difference(position, bonds.position[row]), w = difference(vector, bonds.vector[row]);
    return y * (bond.stiffness * dot(y, w));
  }
  MERGANSER_METHOD static Vec3 identity() { return {0, 0, 0}; }
  MERGANSER_METHOD static Vec3 combine(const Vec3& a, const Vec3& b) { return a + b; }
  MERGANSER_METHOD void finish(int row, const Vec3& sum) const {
    if (!term.skip()) term.write(row, sum);
  }
};
}  // namespace

void BondProducts::arrange(View<const int> first) {
  constexpr int slice_rows = KeptBondsView::slice_rows;
  first_ = first;
  const auto row = to_host(first);
  const int rows = std::max(0, static_cast<int>(row.size()) - 1);
  std::vector<int> slice;
  long long entries = 0;
  for (int begin = 0; begin < rows; begin += slice_rows) {
    slice.push_back(static_cast<int>(entries));
    int longest = 0;
    for (int i = begin; i < std::min(rows, begin + slice_rows); ++i)
      longest = std::max(longest, row[size_t(i) + 1] - row[size_t(i)]);
    entries += static_cast<long long>(longest) * slice_rows;
    if (entries > 0x7fffffffLL)
      throw DeviceError("peridynamic bodies have more than 2,147,483,647 half-bonds; lower --resolution");
  }
  slice_.assign(slice);
  entries_ = static_cast<int>(entries);
}

KeptBondsView BondProducts::view() const {
  return {.first = first_,
          .slice = slice_.view(),
          .bond = bond_.view(),
          .position = position_.view(),
          .vector = vector_.view()};
}

void BondProducts::keep(const BondListView& bonds, const BondFields& fields,
                        View<SymmetricMatrix3> diagonal) {
  bond_.resize(entries_);
  for (Array<Quad>* quads : {&position_, &vector_}) quads->resize(diagonal.count);
  launch_row_sums<8>(diagonal.count, KeepBonds{.bonds = bonds,
                                               .fields = fields,
                                               .at = view(),
                                               .kept = bond_.view(),
                                               .position = position_.view(),
                                               .diagonal = diagonal});
}

void BondProducts::multiply(const BondProduct& term) {
  const int rows = term.u.count;
  launch(rows, PackVectors{term.u, vector_.view()});
  const KeptBondProduct product{term, view()};
  // Few rows take several threads each, so that they still fill a GPU of some 250,000 threads.
  if (rows >= 100'000)
    launch_row_sums<1>(rows, product);
  else if (rows >= 50'000)
    launch_row_sums<2>(rows, product);
  else if (rows >= 25'000)
    launch_row_sums<4>(rows, product);
  else
    launch_row_sums<8>(rows, product);
}

MERGANSER_END
