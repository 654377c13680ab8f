#pragma once
/// Share of a particle's kernel that a solid of any shape takes: the volume map of a mesh (Bender,
/// Kugelstadt, Weiler, Koschier 2020, sec. 3: V_B = the kernel's extension integrated over the solid,
/// tabulated once in the frame of the shape).
///
/// The closed form for a half space, lambda_plane(d), holds for the tangent plane of the nearest point.
/// Tabulated is what edges, corners, curvature and thin parts add to it,
///   delta lambda = int W (H(x') - H_plane(x')) dV,   H = 1 within the solid, H_plane: behind the tangent
///   plane,
/// so that planes stay exact and errors of the quadrature cancel next to surfaces that are nearly flat. The
/// sum runs over the nodes of the distance field within the support; a node's H falls from 1 to 0 over a
/// cell. With cells of 0.42 h lambda is good to 0.015, and to 0.035 where the nearest face changes within a
/// cell.
///
/// A sheet, a surface with a thickness, is thinner than a kernel but keeps two sides apart: what it hides
/// from the particle counts as solid, H = 1 where the way from x to x' goes through it. Else a cup of a thin
/// sheet would lack a part of every kernel at its walls, and water in it would rest at a pressure that is far
/// off. (Where fluid rests on both sides, what is there counts twice: that pushes it off the sheet by as
/// little as the kernel weighs there.)
#include <cmath>
#include <functional>
#include <memory>
#include <typeinfo>
#include <vector>

#include "device/array.h"
#include "solvers/geometry/signed_distance/distance_field.h"

MERGANSER_BEGIN

/// The third table is of the moment of the surface along n, the direction against lambda's gradient,
///   delta m = n.T n - n_plane.T_plane n_plane,   T = int W (y - x) (x) n_S dS = int (W 1 + grad' W (x) (y -
///   x)) dV,
/// where surface points y and the last integral run over the solid, by the divergence theorem: what the share
/// of a linear field's gradient along n lacks beyond lambda.
struct SolidShareSample {
  FieldSample share;  ///< delta lambda and its gradient [1/m]
  float moment;       ///< delta m
};

struct SolidShareView {
  View<const FieldSample> share;  ///< as the field's near nodes
  View<const float> moment;

  /// Interpolated like the distance, the moment linearly. The cell has nodes of its own (`near`).
  MERGANSER_METHOD SolidShareSample at(const FieldCell& cell, float width) const {
    return {cell.interpolated(share, width), cell.interpolated(moment)};
  }
};

/// A node within the support as seen from another.
struct ShareWeight {
  Int3 offset;  ///< in cells
  float value;  ///< W cell^3; all of them sum to 1
  float slope;  ///< [1/m] the gradient of `value` is slope times offset
};

/// Of all nodes within the support, z slowest; `kernel` is one of double with h = 1.
template <class Kernel>
std::vector<ShareWeight> share_weights(const Kernel& kernel, float h, float cell) {
  const int reach = static_cast<int>(std::ceil(2 * h / cell));
  std::vector<ShareWeight> weights;
  double sum = 0;
  for (int z = -reach; z <= reach; ++z)
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x) {
        const double q = std::sqrt(double(x * x + y * y + z * z)) * double(cell) / double(h);
        const double value = q < 2 ? kernel.value(q) : 0.0;
        if (!(value > 0)) continue;
        weights.push_back({{x, y, z},
                           float(value),
                           float(-kernel.gradient_factor(q) * double(cell) / (double(h) * double(h)))});
        sum += value;
      }
  for (ShareWeight& w : weights) w.value = float(w.value / sum), w.slope = float(w.slope / sum);
  return weights;
}

/// Owns the table of one field for one kernel, given as a kernel of double with h = 1. Blocking.
class SolidShare {
 public:
  SolidShare() = default;
  template <class Kernel>
  SolidShare(const DistanceFieldView& field, const Kernel& kernel, float h, bool sheet = false)
      : SolidShare(field, share_weights(kernel, h, field.cell), 2 * h, sheet) {}
  SolidShareView view() const { return {share_.const_view(), moment_.const_view()}; }

 private:
  SolidShare(const DistanceFieldView& field, const std::vector<ShareWeight>& weights, float support,
             bool sheet);

  Array<FieldSample> share_;
  Array<float> moment_;
};

/// The table of one field for kernels of this type and h: made by `make` where nobody has it, and shared by
/// all fluids that ask for it as long as one of them lives.
std::shared_ptr<const SolidShare> shared_solid_share(const std::shared_ptr<const DistanceField>& field,
                                                     const std::type_info& kernel, float h,
                                                     const std::function<SolidShare()>& make);
/// The same; `kernel` is one of double with h = 1.
template <class Kernel>
std::shared_ptr<const SolidShare> shared_solid_share(const std::shared_ptr<const DistanceField>& field,
                                                     const Kernel& kernel, float h) {
  return shared_solid_share(field, typeid(Kernel), h,
                            [&] { return SolidShare(field->view(), kernel, h, field->is_sheet()); });
}

MERGANSER_END
