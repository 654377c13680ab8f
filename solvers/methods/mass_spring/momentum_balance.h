#pragma once
/// Exact momentum of free cloths and ropes, whatever the tolerance of the linear solver.
#include <vector>

#include "device/particle_store.h"
#include "device/vector_math.h"
#include "solvers/core/initial_state.h"
#include "solvers/core/system.h"

MERGANSER_BEGIN

/// Springs give a connected body no net impulse: sum_i h_i u_i = sum_i (m_i dt g - (h_i - m_i) v0_i) over its
/// rows, unless one of them is fixed. A solve that ends at a tolerance misses that by its residual, a little
/// more every step. The balance adds to all rows of a body the one velocity that restores it; rigid motions
/// strain no spring, so the other equations stay solved.
class MomentumBalance {
 public:
  /// Bodies are the connected parts of the spring network.
  MomentumBalance(const std::vector<Spring>& springs, int particle_count);
  struct Rows {
    Vec3 gravity;                      ///< [m/s^2]
    float dt;                          ///< [s]
    View<const float> mass;            ///< [kg] m per row
    View<const float> effective_mass;  ///< [kg] h = m (1 + dt air damping) per row, 0 = fixed
    View<const Vec3> start;            ///< [m/s] v0 per row
  };
  /// Corrects the solution u [m/s], the change of velocity, in place. Members of a group that joins two
  /// bodies need averaging afterwards.
  void restore(const Rows& rows, View<Vec3> change);

 private:
  struct Sum {
    Vec3d missing{0, 0, 0};     ///< [N s] sum m dt g - (h - m) v0 - h u
    double effective_mass = 0;  ///< [kg] sum h
    int fixed = 0, unused = 0;  ///< fixed: 1 = a row is
    MERGANSER_METHOD friend Sum operator+(const Sum& a, const Sum& b) {
      return {a.missing + b.missing, a.effective_mass + b.effective_mass, a.fixed | b.fixed, 0};
    }
  };
  friend struct SumSegment;
  friend struct SumBody;
  friend struct CorrectRows;

  Array<int> particle_;       ///< all local indices, body by body
  Array<int> segment_first_;  ///< starts of segments in particle_, one more at the end; no segment reaches
                              ///< over two bodies
  Array<int> body_first_;     ///< starts of bodies in segments, one more at the end
  Array<int> body_of_;        ///< per particle
  Array<Sum> segment_sum_, body_sum_;
};

MERGANSER_END
