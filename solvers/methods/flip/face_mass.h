#pragma once
/// Masses of a fluid's particles at the faces whose change the solve gives. Other faces take the mean change
/// of faces around, layer by layer (ExtrapolateFaces); the transposed operator gives their mass to these, so
///   sum_p m_p change_p = sum_f M_f change_f
/// over the faces of the solve alone.
#include "solvers/methods/flip/projection.h"

MERGANSER_BEGIN

/// Layer 1: faces that touch fluid and are not behind walls, as in PressureChange, and those that follow
/// bodies (FollowBodies); 0: others.
struct FirstFaceLayer {
  static constexpr const char* name = "flip first layer of faces";
  FlipGrid grid;
  View<const signed char> kind;
  FaceViews<const float> open, covered;  ///< covered: by bodies; empty: there are none
  FaceViews<signed char> layer;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      const bool touches = kind[f] == fluid || kind[f - grid.stride(axis)] == fluid;
      const bool follows = !covered.axis[axis].empty() && covered.axis[axis][f] > nearly_all_covered;
      layer.axis[axis][f] = follows || (touches && open.axis[axis][f] > 0);
    }
  }
};

/// The layers of faces along one axis.
struct FaceLayers {
  FlipGrid grid;
  View<const signed char> layer;
  /// visit(g) for the neighbors of a face along all axes.
  template <class Visit>
  MERGANSER_METHOD void for_each_neighbor(int f, const Visit& visit) const {
    for (int along = 0; along < 3; ++along)
      for (int side = -1; side <= 1; side += 2) visit(f + side * grid.stride(along));
  }
  /// Neighbors in layers before `next`.
  MERGANSER_METHOD int before(int next, int f) const {
    int count = 0;
    for_each_neighbor(f, [&](int g) { count += layer[g] > 0 && layer[g] < next; });
    return count;
  }
};

/// Layer `next`: faces beside those of the layers before.
struct NextFaceLayer {
  static constexpr const char* name = "flip next layer of faces";
  FlipGrid grid;
  signed char next;
  FaceViews<const signed char> layer;
  FaceViews<signed char> after;
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      const FaceLayers layers{grid, layer.axis[axis]};
      const signed char own = layer.axis[axis][f];
      after.axis[axis][f] = own == 0 && layers.before(next, f) > 0 ? next : own;
    }
  }
};

/// Masses of layer `next` go to the faces that its change is the mean of.
struct MassOfNextLayer {
  static constexpr const char* name = "flip mass of next layer";
  FlipGrid grid;
  signed char next;
  FaceViews<const signed char> layer;
  FaceViews<const float> mass;  ///< [particles]
  FaceViews<float> gathered;    ///< [particles] 0 from layer `next` on; written
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    for (int axis = 0; axis < 3; ++axis) {
      const FaceLayers layers{grid, layer.axis[axis]};
      const signed char own = layer.axis[axis][f];
      float sum = 0;
      if (own > 0 && own < next) {
        sum = mass.axis[axis][f];
        layers.for_each_neighbor(f, [&](int g) {
          if (layer.axis[axis][g] == next)
            sum += mass.axis[axis][g] / static_cast<float>(layers.before(next, g));
        });
      }
      gathered.axis[axis][f] = sum;
    }
  }
};

/// What lies in line with face f of a cloth or a body, on both sides: the sum of of(g) over up to three faces
/// g that touch fluid, half of it on a side where they end at another one, ends(g). at, cells: of the cell
/// whose lower face f is, and of the box.
template <class Ends, class Of>
MERGANSER_FN float sum_in_line(const View<const signed char>& kind, int f, int step, int at, int cells,
                               const Ends& ends, const Of& of) {
  constexpr int reach = 3;
  float both = 0;
  for (int side = -1; side <= 1; side += 2) {
    const int inside = side > 0 ? cells - at : at - 2;
    float sum = 0, share = 1;
    for (int k = 1; k <= reach && k <= inside; ++k) {
      const int g = f + k * side * step;
      if (ends(g)) {
        share = 0.5f;
        break;
      }
      if (kind[g] != fluid && kind[g - step] != fluid) break;
      sum += of(g);
    }
    both += share * sum;
  }
  return both;
}

class FaceMass {
 public:
  /// For a grid of a solve. of_faces(): masses by the particles' weights, to be filled.
  void resize(int count) {
    for (int k = 0; k < 2; ++k) {
      mass_[k].resize(count);
      layer_[k].resize(count);
    }
  }
  FaceViews<float> of_faces() { return mass_[0].view(); }
  FaceViews<const float> of_faces() const { return mass_[0].const_view(); }
  /// Gathers them at the faces of the solve.
  void gather(const FlipGrid& grid, View<const signed char> kind, FaceViews<const float> open,
              FaceViews<const float> covered) {
    static_assert(extrapolated_layers % 2 == 0, "results end where they began");
    launch_cells(grid.cells, FirstFaceLayer{grid, kind, open, covered, layer_[0].view()});
    for (int k = 0; k < extrapolated_layers; ++k)
      launch_cells(grid.cells, NextFaceLayer{.grid = grid,
                                             .next = static_cast<signed char>(k + 2),
                                             .layer = layer_[k % 2].const_view(),
                                             .after = layer_[(k + 1) % 2].view()});
    for (int k = extrapolated_layers - 1; k >= 0; --k)
      launch_cells(grid.cells, MassOfNextLayer{.grid = grid,
                                               .next = static_cast<signed char>(k + 2),
                                               .layer = layer_[0].const_view(),
                                               .mass = mass_[(k + 1) % 2].const_view(),
                                               .gathered = mass_[k % 2].view()});
  }
  FaceViews<const float> gathered() const { return mass_[0].const_view(); }  ///< [particles]

 private:
  FaceArrays<float> mass_[2];
  FaceArrays<signed char> layer_[2];
};

MERGANSER_END
