#include "solvers/geometry/surface/field_particles.h"

#include <algorithm>
#include <cmath>

#include "device/lanes.h"

MERGANSER_BEGIN

namespace {

constexpr int padding = 8;  // elements behind the last particle that loads of eight may touch
/// Particles between this share of the support and the rim count neither as Euclidean nor as topological
/// neighbors when the two are compared: there rounding decides who is within 2h, and W is below 1e-20.
constexpr float counted_share = 0.9999f;
/// Young links make a neighborhood adjusted where they lack more than this share of its density. In moving
/// fluid pairs come within 2h all the time; they are far apart then, and grown up before they are near.
constexpr float tolerated_youth = 0.01f;
/// A ball of fluid at rest has sum W = (spacing/h)^-3 * 2.855 (the integral of W over h^3).
constexpr float kernel_integral = 2.855f;

struct SortPoints {
  static constexpr const char* name = "surface sort points";
  View<const Vec3> position, velocity;
  View<const float> mass;
  View<const int> order;
  View<float> x, y, z, vx, vy, vz, sorted_mass;
  MERGANSER_METHOD void operator()(int k) const {
    const int i = order[k];
    x[k] = position[i].x, y[k] = position[i].y, z[k] = position[i].z;
    sorted_mass[k] = mass[i];
    vx[k] = velocity[i].x, vy[k] = velocity[i].y, vz[k] = velocity[i].z;
  }
};

/// rho_k = sum_j m_j W over all j within 2h, [TN] eq. 2, the number of those neighbors, and where to look for
/// the surface: around particles with few neighbors, or with all of them on one side.
struct EuclideanDensity {
  static constexpr const char* name = "surface density";
  FieldParticlesView particles;
  View<const float> mass;
  float full;  ///< sum of W of a fluid at rest
  View<float> volume;
  View<int> near;
  View<Vec3> seed_centre;
  View<float> seed_radius;

  MERGANSER_METHOD void operator()(int k) const {
    const float h = particles.h;
    const FieldKernel kernel(h);
    const Vec3 self = particles.position(k);
    const float counted2 = 4 * h * h * counted_share;
    Lanes sum{}, found{};
    Vector3<Lanes> moment_sum{};
    particles.grid.for_each_range(self, 2 * h, [&](int begin, int end, const Vec3&) {
      for (int j = begin; j < end; j += lane_count) {
        const Vector3<Lanes> d{self.x - load_lanes(particles.x.data + j),
                               self.y - load_lanes(particles.y.data + j),
                               self.z - load_lanes(particles.z.data + j)};
        const Lanes d2 = norm_squared(d);
        const Lanes w =
            first_lanes(load_lanes(mass.data + j), end - j) * fifth_power(kernel_rest(kernel, d2));
        const Lanes one = d2 - d2 + 1.0f, counted = d2 < counted2 ? one : d2 - d2;
        sum += w;
        moment_sum += w * d;
        found += first_lanes(counted, end - j);
      }
    });
    const float density = sum_of_lanes(sum);
    const int count = static_cast<int>(sum_of_lanes(found));  // a sum of ones
    const Vec3 moment{sum_of_lanes(moment_sum.x), sum_of_lanes(moment_sum.y), sum_of_lanes(moment_sum.z)};
    volume[k] = mass[k] / density;
    near[k] = count - 1;
    const Vec3 lean = moment / density;
    const float length = norm(lean);
    const bool one_sided = length > 0.1f * h, sparse = density < 0.87f * full * mass[k];
    seed_radius[k] = !one_sided && !sparse ? 0.0f : sparse ? 0.85f * h : 0.55f * h;
    seed_centre[k] = sparse ? self : self + (0.45f * h / length) * lean;
  }
};

/// rho_i = sum over i and its links a_ij m_j W, [TN] eq. 7; 1/(|G_i| + 1); and whether the neighborhood is
/// adjusted: not all Euclidean neighbors are linked, or links are too young. Around those the surface is
/// looked for as well: the other side of a gap hides it from EuclideanDensity.
struct TopologicalDensity {
  static constexpr const char* name = "surface topological density";
  FieldParticlesView particles;
  View<const int> rank;  ///< caller's index -> cell order
  View<const float> mass;
  View<const int> near;
  View<float> volume, inverse_links;
  View<int> adjusted;
  View<Vec3> seed_centre;
  View<float> seed_radius;

  MERGANSER_METHOD void operator()(int k) const {
    const float h = particles.h;
    const FieldKernel kernel(h);
    const NeighborGraphView& graph = particles.graph;
    const Vec3 self = particles.position(k);
    const int i = particles.grid.order[k];
    const float counted2 = 4 * h * h * counted_share;
    float density = mass[k], links = 1, lacking = 0;
    int count = 0;
    for (int e = graph.first[i]; e < graph.first[i + 1]; ++e) {
      if (!graph.linked.data[e]) continue;
      const int j = rank.data[graph.neighbor.data[e]];
      const float d2 = norm_squared(self - particles.position(j)), age = graph.age.data[e];
      const float full = mass.data[j] * fifth_power(kernel_rest(kernel, d2));
      density += age * full;
      lacking += (1 - age) * full;
      links += blending_weight(age);
      count += d2 < counted2;
    }
    const bool changed = count != near[k] || lacking > tolerated_youth * density;
    volume[k] = mass[k] / density;
    inverse_links[k] = 1 / links;
    adjusted[k] = changed;
    if (!changed) return;
    seed_centre[k] = self;
    seed_radius[k] = 0.85f * h;
  }
};

struct InvertOrder {
  static constexpr const char* name = "surface invert order";
  View<const int> order;
  View<int> rank;
  MERGANSER_METHOD void operator()(int k) const { rank[order[k]] = k; }
};

}  // namespace

void FieldParticles::build(View<const Vec3> position, View<const Vec3> velocity, View<const float> mass,
                           const NeighborGraphView& graph, const SurfaceParameters& parameters) {
  count_ = position.count;
  h_ = static_cast<float>(parameters.h);
  graph_ = graph;
  // The field asks around the middle of a brick, for what is within its radius of the brick's points.
  const double half_diagonal = 0.5 * std::sqrt(3.0) * 3 * parameters.cell_factor;
  const double reach = std::max(parameters.search_radius_factor, 2.0) + half_diagonal;
  grid_.build(position, static_cast<float>(1.001 * reach * parameters.h), 3);
  for (Array<float>* array : {&x_, &y_, &z_, &vx_, &vy_, &vz_, &mass_, &volume_}) {
    array->clear();
    array->resize(count_ + padding);  // zero behind the last particle
  }
  near_.resize(count_);
  seed_centre_.resize(count_);
  seed_radius_.resize(count_);
  launch(count_, SortPoints{position, velocity, mass, grid_.order(), x_.view(), y_.view(), z_.view(),
                            vx_.view(), vy_.view(), vz_.view(), mass_.view()});
  adjusted_before_.clear();
  const float ratio = static_cast<float>(parameters.h / parameters.spacing);
  launch(count_, EuclideanDensity{view(), mass_.const_view(), kernel_integral * ratio * ratio * ratio,
                                  volume_.view(), near_.view(), seed_centre_.view(), seed_radius_.view()});
  if (graph.first.empty()) return;
  rank_.resize(count_);
  inverse_links_.resize(count_);
  adjusted_.resize(count_);
  launch(count_, InvertOrder{grid_.order(), rank_.view()});
  launch(count_, TopologicalDensity{view(), rank_.const_view(), mass_.const_view(), near_.const_view(),
                                    volume_.view(), inverse_links_.view(), adjusted_.view(),
                                    seed_centre_.view(), seed_radius_.view()});
  adjusted_before_.resize(count_ + 1);
  exclusive_scan(adjusted_.view(), adjusted_before_.view(), scratch_);
}

FieldParticlesView FieldParticles::view() const {
  return {grid_.view(),
          x_.view(),
          y_.view(),
          z_.view(),
          volume_.view(),
          vx_.view(),
          vy_.view(),
          vz_.view(),
          adjusted_before_.view(),
          inverse_links_.view(),
          graph_,
          h_};
}

MERGANSER_END
