#pragma once
/// Velocities from particles to faces and back: FLIP (Zhu & Bridson 2005) and APIC (Jiang, Schroeder, Selle,
/// Teran, Stomakhin 2015) with quadratic B-splines on a staggered grid.
#include "solvers/methods/flip/flip_grid.h"

MERGANSER_BEGIN

/// Weights of the three nearest points of a lattice axis.
struct AxisWeights {
  int first;
  float offset;  ///< from the particle to the first point, in cells
  float weight[3];
  /// s: coordinate in cells, points at whole numbers.
  MERGANSER_METHOD static AxisWeights at(float s) {
    const float nearest = floorf(s + 0.5f), t = s - nearest;
    return {static_cast<int>(nearest) - 1,
            -1 - t,
            {0.5f * (0.5f - t) * (0.5f - t), 0.75f - t * t, 0.5f * (0.5f + t) * (0.5f + t)}};
  }
};

/// What a fluid brings to faces.
struct GatheredFluid {
  UniformGridView particles;
  View<const Vec3> velocity;     ///< [m/s] by order of the particles
  FaceViews<const Vec3> affine;  ///< [1/s] rows by sorted index; empty: none
  float density;                 ///< over that of the first one
  MERGANSER_METHOD float value_at(int j, int axis, const Vec3& face) const {
    float value = component(velocity.data[particles.order.data[j]], axis);
    if (!affine.axis[axis].empty())
      value += dot(affine.axis[axis].data[j], face - particles.position.data[j]);
    return value;
  }
};
struct GatheredFluids {
  GatheredFluid of[FlipFluids::most];
  int count = 0;
};

/// One component on the faces of its axis, gathered over particles of equal volume and density rho_p:
///   u_f = sum_p rho_p w_fp (v_p + c_p.(x_f - x_p)) / sum_p rho_p w_fp,
/// c_p the component's row of the APIC matrix. Faces that `reached` already marks, and those without a
/// particle, are left alone.
struct ParticlesToFaces {
  static constexpr const char* name = "flip particles to faces";
  FlipGrid grid;
  GatheredFluids fluids;
  int axis;
  View<float> u;  ///< [m/s]
  View<signed char> reached;
  View<float> face_mass;         ///< sum_p rho_p w_fp, written; empty: not wanted
  View<float> weight, momentum;  ///< scratch by flat index; CPU only

  /// Gathers a face.
  MERGANSER_METHOD void operator()(int x, int y, int z) const {
    const int f = grid.flat(x, y, z);
    const Vec3 face = grid.face_centre(axis, x, y, z);
    float weight_sum = 0, momentum_sum = 0;
    for (int k = 0; k < fluids.count && !reached[f]; ++k) {
      const GatheredFluid& fluid = fluids.of[k];
      for_each_particle_near_face(fluid.particles, axis, grid.lattice(x, y, z), [&](int j) {
        const float w =
            fluid.density * kernel_weight(fluid.particles.position.data[j], face, grid.inverse_dx);
        if (!(w > 0)) return;
        weight_sum += w;
        momentum_sum += w * fluid.value_at(j, axis, face);
      });
    }
    set(f, weight_sum, momentum_sum);
  }
#if !MERGANSER_GPU_HALF
  /// Gathers a row of faces along x at once: every particle of the rows around it adds to the three faces
  /// that it reaches.
  void row(int y, int z) const {
    const int begin = grid.flat(1, y, z);
    for (int f = begin; f < begin + grid.cells.x; ++f) weight.data[f] = momentum.data[f] = 0;
    const Int3 c = grid.lattice(1, y, z);
    const int shift = 1 - grid.low.x + grid.flat(0, y, z);
    for (int k = 0; k < fluids.count; ++k)
      for (int cz = c.z - (axis == 2 ? 2 : 1); cz <= c.z + 1; ++cz)
        for (int cy = c.y - (axis == 1 ? 2 : 1); cy <= c.y + 1; ++cy)
          for_each_particle_in_row(fluids.of[k].particles, cy, cz,
                                   [&](int j) { add_to_row(fluids.of[k], j, y, z, shift, begin); });
    for (int f = begin; f < begin + grid.cells.x; ++f) set(f, weight.data[f], momentum.data[f]);
  }
#endif

 private:
  MERGANSER_METHOD void set(int f, float weight_sum, float momentum_sum) const {
    if (!face_mass.empty()) face_mass[f] = weight_sum;
    if (reached[f] || !(weight_sum > 0)) return;
    u[f] = momentum_sum / weight_sum;
    reached[f] = 1;
  }
#if !MERGANSER_GPU_HALF
  void add_to_row(const GatheredFluid& from, int j, int y, int z, int shift, int begin) const {
    const Vec3 at = from.particles.position.data[j];
    Vec3 face = grid.face_centre(axis, 1, y, z);
    const float across = quadratic_spline((at.y - face.y) * grid.inverse_dx) *
                         quadratic_spline((at.z - face.z) * grid.inverse_dx) * from.density;
    if (!(across > 0)) return;
    const AxisWeights along = AxisWeights::at(at.x * grid.inverse_dx - (axis == 0 ? 0.0f : 0.5f));
    const int first = along.first + shift;
    if (first < begin || first + 2 >= begin + grid.cells.x) return;
    face.x = at.x + along.offset * grid.dx;
    float value = from.value_at(j, axis, face);
    const float slope = from.affine.axis[axis].empty() ? 0.0f : from.affine.axis[axis].data[j].x * grid.dx;
    for (int i = 0; i < 3; ++i, value += slope) {
      const float w = across * along.weight[i];
      weight.data[first + i] += w;
      momentum.data[first + i] += w * value;
    }
  }
#endif
};

#if !MERGANSER_GPU_HALF
struct ParticlesToFaceRows {
  static constexpr const char* name = ParticlesToFaces::name;
  ParticlesToFaces faces;
  void operator()(int i) const { faces.row(1 + i % faces.grid.cells.y, 1 + i / faces.grid.cells.y); }
};
inline void launch_gather(const ParticlesToFaces& faces) {
  launch(faces.grid.cells.y * faces.grid.cells.z, ParticlesToFaceRows{faces});
}
#else
inline void launch_gather(const ParticlesToFaces& faces) { launch_cells(faces.grid.cells, faces); }
#endif

/// Where a particle lies among the faces of the staggered grid. Its cell must be held by the grid.
struct NearFaces {
  AxisWeights node[3], middle[3];  ///< points at the cells' faces and in the cells' middles, by axis

  MERGANSER_METHOD NearFaces(const FlipGrid& grid, const Vec3& position) {
    const Vec3 s = position * grid.inverse_dx;
    node[0] = AxisWeights::at(s.x), node[1] = AxisWeights::at(s.y), node[2] = AxisWeights::at(s.z);
    middle[0] = AxisWeights::at(s.x - 0.5f), middle[1] = AxisWeights::at(s.y - 0.5f);
    middle[2] = AxisWeights::at(s.z - 0.5f);
  }
  /// visit(flat, weight, offset) for the 27 faces along `axis` that the particle's kernel reaches, offset =
  /// (x_f - x_p)/dx.
  template <class Visit>
  MERGANSER_METHOD void for_each_face(const FlipGrid& grid, int axis, const Visit& visit) const {
    const AxisWeights &a = axis == 0 ? node[0] : middle[0], &b = axis == 1 ? node[1] : middle[1],
                      &c = axis == 2 ? node[2] : middle[2];
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 3; ++j) {
        const int row =
            grid.flat(a.first - grid.low.x + 1, b.first + j - grid.low.y + 1, c.first + k - grid.low.z + 1);
        const float weight = b.weight[j] * c.weight[k];
        for (int i = 0; i < 3; ++i)
          visit(row + i, weight * a.weight[i], Vec3{a.offset + i, b.offset + j, c.offset + k});
      }
  }
};

/// New velocities of particles from u, the velocities on faces, and change, what the projection did to them:
///   FLIP: v = blend v* + (1 - blend) sum w u + sum w change,    APIC: v = sum w (u + change),
///   C = 4/dx^2 sum w (u + change) (x_f - x_p)^T.
/// A particle outside the box (see Flip::place_box) flies on.
struct FacesToParticles {
  static constexpr const char* name = "flip faces to particles";
  FlipGrid grid;
  GridShape lattice;
  View<const Vec3> position;       ///< [m]
  View<const Vec3> free_velocity;  ///< [m/s] v*, with body forces
  FaceViews<const float> u, change;
  float blend;
  View<Vec3> velocity;     ///< [m/s], written
  FaceViews<Vec3> affine;  ///< [1/s] rows of C, written; empty: FLIP

  MERGANSER_METHOD void operator()(int i) const {
    const Vec3 x = position[i];
    if (!grid.holds(lattice.cell(x))) {
      velocity[i] = free_velocity[i];
      if (!affine.axis[0].empty()) affine.axis[0][i] = affine.axis[1][i] = affine.axis[2][i] = {0, 0, 0};
      return;
    }
    const bool apic = !affine.axis[0].empty();
    const NearFaces near(grid, x);
    const Sample sx = sample<0>(near, apic), sy = sample<1>(near, apic), sz = sample<2>(near, apic);
    const Vec3 pic{sx.before, sy.before, sz.before}, gained{sx.by, sy.by, sz.by};
    velocity[i] = free_velocity[i] * blend + pic * (1 - blend) + gained;
    if (!apic) return;
    affine.axis[0][i] = sx.moment * (4 * grid.inverse_dx);
    affine.axis[1][i] = sy.moment * (4 * grid.inverse_dx);
    affine.axis[2][i] = sz.moment * (4 * grid.inverse_dx);
  }

 private:
  /// One component where the particle is: sum w u, sum w change, and with APIC sum w (u + change) (x_f -
  /// x_p)/dx.
  struct Sample {
    float before, by;
    Vec3 moment;
  };
  /// The axis is known to the compiler, so that sums and weights stay in registers.
  template <int axis>
  MERGANSER_METHOD Sample sample(const NearFaces& near, bool apic) const {
    Sample sum{0, 0, {0, 0, 0}};
    near.for_each_face(grid, axis, [&](int f, float weight, const Vec3& offset) {
      const float before = u.axis[axis].data[f], by = change.axis[axis].data[f];
      sum.before += weight * before;
      sum.by += weight * by;
      if (apic) sum.moment += offset * (weight * (before + by));
    });
    return sum;
  }
};

MERGANSER_END
