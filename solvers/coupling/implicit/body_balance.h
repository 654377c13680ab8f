#pragma once
/// Exact momentum of free bodies after a solve that ended at its tolerance, for stiff parts: every body as a
/// whole gets the one velocity that restores its momentum. (RestoreMomentum gives each row its own residual
/// over its effective mass, which a stiff row would feel as a kick of dt^2 k/m times that of the solver.)
#include "device/array.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

class BodyBalance {
 public:
  /// Bodies are the connected parts of the bonds, a CSR list over local indices.
  BodyBalance(const std::vector<int>& bond_first, const std::vector<int>& bond_neighbor);
  struct Rows {
    View<const float> effective_mass;          ///< [kg] h of the row, 0 = fixed
    View<const float> unknown_effective_mass;  ///< [kg] of all rows of its unknown
    View<const Vec3> u;                        ///< [m/s] solution
    View<const Vec3> residual;                 ///< [N s] of the row's unknown
  };
  /// balanced = u + (sum of h/h_unknown r) / (sum of h) over the row's body, where no row of it is fixed.
  /// Members of a group that joins two bodies need averaging afterwards.
  void restore(const Rows& rows, View<Vec3> balanced);

 private:
  struct Sum {
    Vec3d missing{0, 0, 0};     ///< [N s]
    double effective_mass = 0;  ///< [kg]
    int fixed = 0, unused = 0;  ///< fixed: 1 = a row is
    MERGANSER_METHOD friend Sum operator+(const Sum& a, const Sum& b) {
      return {a.missing + b.missing, a.effective_mass + b.effective_mass, a.fixed | b.fixed, 0};
    }
  };
  friend struct SumBalanceSegment;
  friend struct SumBalanceBody;
  friend struct BalanceRows;
  Array<int> particle_;       ///< all local indices, body by body
  Array<int> segment_first_;  ///< starts of segments of up to 256 of them, one more at the end
  Array<int> body_first_;     ///< starts of bodies in segments, one more at the end
  Array<int> body_of_;        ///< per particle
  Array<Sum> segment_sum_, body_sum_;
};

MERGANSER_END
