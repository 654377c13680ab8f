#include "solvers/geometry/surface/surface_vertices.h"

#include "solvers/geometry/surface/surface_sample.h"

MERGANSER_BEGIN

namespace {

/// In h: particles i further from a vertex have less than a hundredth of its gradient and velocity, for the
/// weights (g_i/C)^(s - 1) of those around it are greater.
constexpr float vertex_blend_range = 1.25f;

struct RefineVertices {
  static constexpr const char* name = "surface refine vertices";
  FieldParticlesView particles;
  View<const int> rank;
  BrickLattice lattice;
  float radius;  ///< [m]
  int steps;
  View<const CrossedEdge> edge;
  View<Vec3> vertex;
  MERGANSER_METHOD void operator()(int v) const {
    const CrossedEdge& e = edge[v];
    const Vec3 start = lattice.position(e.point);
    const Vec3 along{e.axis == 0 ? lattice.cell : 0, e.axis == 1 ? lattice.cell : 0,
                     e.axis == 2 ? lattice.cell : 0};
    float low = 0, high = 1, low_value = excess(start), high_value = excess(start + along);
    if (!(low_value * high_value < 0)) return;  // rounding, or an early stop, has decided the grid's signs
    float share = dot(vertex[v] - start, along) / norm_squared(along);
    int kept = 0;  // the end that the last step left where it was: -1 low, 1 high
    for (int step = 0; step < steps; ++step) {
      const float value = excess(start + share * along);
      // An end that stays a second time counts half, lest it stay for ever (Illinois rule).
      if (value * low_value > 0) {
        low = share, low_value = value;
        if (kept == 1) high_value *= 0.5f;
        kept = 1;
      } else {
        high = share, high_value = value;
        if (kept == -1) low_value *= 0.5f;
        kept = -1;
      }
      share = low - low_value * (high - low) / (high_value - low_value);
    }
    vertex[v] = start + share * along;
  }

 private:
  MERGANSER_METHOD float excess(const Vec3& x) const {
    return surface_sample(particles, rank, x, radius).value - field_iso_value;
  }
};

struct SampleVertices {
  static constexpr const char* name = "surface sample vertices";
  FieldParticlesView particles;
  View<const int> rank;
  View<const Vec3> vertex;
  View<Vec3> normal;  ///< may be empty
  View<Vec3> velocity;
  MERGANSER_METHOD void operator()(int v) const {
    const SurfaceSample sample = surface_sample(particles, rank, vertex[v], vertex_blend_range * particles.h);
    if (!normal.empty()) normal[v] = normalized_or_zero(-sample.gradient);
    velocity[v] = sample.value > 0 ? sample.velocity / sample.value : Vec3{0, 0, 0};
  }
};

}  // namespace

void refine_vertices(const FieldParticles& particles, const SurfaceParameters& parameters,
                     View<const CrossedEdge> edge, View<Vec3> vertex) {
  launch(vertex.count, RefineVertices{particles.view(),
                                      particles.rank(),
                                      {static_cast<float>(parameters.h * parameters.cell_factor)},
                                      static_cast<float>(parameters.search_radius_factor * parameters.h),
                                      parameters.refinements,
                                      edge,
                                      vertex});
}

void sample_vertices(const FieldParticles& particles, View<const Vec3> vertex, View<Vec3> normal,
                     View<Vec3> velocity) {
  launch(vertex.count, SampleVertices{particles.view(), particles.rank(), vertex, normal, velocity});
}

MERGANSER_END
