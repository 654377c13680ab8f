#pragma once
/// Means over the members of groups that one fluid owns, as row sums of device/group_sums.h.
#include "device/group_sums.h"
#include "solvers/core/system.h"

MERGANSER_BEGIN

struct MemberSum {
  Vec3d sum{0, 0, 0};
  int members = 0, unused = 0;
  MERGANSER_METHOD void add(const Vec3& value) {
    sum += to_double(value);
    ++members;
  }
  MERGANSER_METHOD friend MemberSum operator+(const MemberSum& a, const MemberSum& b) {
    return {a.sum + b.sum, a.members + b.members, 0};
  }
  MERGANSER_METHOD Vec3 mean() const { return to_float(sum / static_cast<double>(members)); }
};

/// Rows: groups that move. Entries: places in groups.member that hold particles of `own`, which follow each
/// other because members ascend.
struct OwnGroupMembers {
  MetaParticleView groups;
  Range own;
  MERGANSER_METHOD int begin(int g) const { return first_at_least(g, own.first); }
  MERGANSER_METHOD int end(int g) const {
    return groups.inverse_mass[g] > 0 ? first_at_least(g, own.end()) : begin(g);
  }
  /// Of a place, counted from the fluid's first particle.
  MERGANSER_METHOD int own_index(int place) const { return groups.member[place] - own.first; }

 private:
  MERGANSER_METHOD int first_at_least(int g, int wanted) const {
    int low = groups.first[g], high = groups.first[g + 1];
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (groups.member[middle] < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

MERGANSER_END
