#include "solvers/benchmarks/primitive_benchmarks.h"

#include "device/launch.h"
#include "device/random.h"
#include "device/sort.h"
#include "device/sum_of.h"
#include "device/uniform_grid.h"
#include "solvers/benchmarks/stage_timing.h"
#include "solvers/benchmarks/wavy_water.h"
#include "solvers/linear/krylov/grid_conjugate_gradient.h"
#include "solvers/methods/peridynamics/peridynamics.h"
#include "solvers/methods/peridynamics/peridynamics_parameters.h"

MERGANSER_BEGIN

namespace {

struct Triad {
  static constexpr const char* name = "benchmark triad";
  View<const float> b, c;
  View<float> a;
  MERGANSER_METHOD void operator()(int i) const { a[i] = b[i] + 3.0f * c[i]; }
};
/// A lattice of spacing 1, every point moved by up to a quarter of it along each axis.
struct RandomLattice {
  static constexpr const char* name = "benchmark lattice";
  int edge;
  View<Vec3> position;
  MERGANSER_METHOD void operator()(int i) const {
    const RandomBits bits = random_draw(1, RandomPurpose::test, static_cast<unsigned>(i), 0);
    auto offset = [](std::uint32_t word) { return 0.5f * uniform_float(word) - 0.25f; };
    position[i] = {static_cast<float>(i % edge) + offset(bits.word[0]),
                   static_cast<float>(i / edge % edge) + offset(bits.word[1]),
                   static_cast<float>(i / edge / edge) + offset(bits.word[2])};
  }
};
struct Gather {
  static constexpr const char* name = "benchmark gather";
  View<const Vec3> from;
  View<const int> order;
  View<Vec3> to;
  MERGANSER_METHOD void operator()(int i) const { to[i] = from[order[i]]; }
};
struct CountNeighbors {
  static constexpr const char* name = "benchmark count neighbors";
  UniformGridView grid;
  View<const Vec3> position;
  float radius;
  View<int> neighbors;
  MERGANSER_METHOD void operator()(int i) const {
    int count = 0;
    grid.for_each_neighbor(position[i], radius, [&](int, const Vec3&, float) { ++count; });
    neighbors[i] = count;
  }
};
struct SumCounts {
  static constexpr const char* name = "benchmark sum";
  View<const int> values;
  MERGANSER_METHOD double operator()(int i) const { return values[i]; }
};
struct FillKeys {
  static constexpr const char* name = "benchmark keys";
  View<unsigned> keys;
  View<int> values;
  MERGANSER_METHOD void operator()(int i) const {
    keys[i] = random_draw(2, RandomPurpose::test, static_cast<unsigned>(i), 0).word[0];
    values[i] = i;
  }
};

struct CountUnknowns {
  static constexpr const char* name = "benchmark unknowns";
  View<const float> diagonal;
  MERGANSER_METHOD double operator()(int i) const { return diagonal[i] > 0; }
};

PrimitiveTiming time_triad(int count) {
  Array<float> a(count), b(count), c(count);
  PrimitiveTiming timing = time_stages_of({{"triad",
                                            [&] {
                                              launch(count, Triad{b.const_view(), c.const_view(), a.view()});
                                            }}},
                                          count);
  timing.moved_bytes = 3.0 * sizeof(float) * count;
  return timing;
}
PrimitiveTiming time_scan(int count) {
  Array<int> in(count), out(count + 1);
  Scratch scratch;
  PrimitiveTiming timing =
      time_stages_of({{"scan", [&] { exclusive_scan(in.const_view(), out.view(), scratch); }}}, count);
  timing.moved_bytes = 2.0 * sizeof(int) * count;
  return timing;
}
PrimitiveTiming time_sort(int count) {
  Array<unsigned> keys(count);
  Array<int> values(count);
  Scratch scratch;
  return time_stages_of({{"fill",
                          [&] {
                            launch(count, FillKeys{keys.view(), values.view()});
                          },
                          false},
                         {"sort", [&] { stable_sort_by_key(keys.view(), values.view(), scratch); }}},
                        count);
}
/// Particles in cell order, as fluids keep them; neighbors within 2.4 spacings.
PrimitiveTiming time_grid(int count) {
  constexpr float radius = 2.4f;
  int edge = 1;
  while (edge * edge * edge < count) ++edge;
  Array<Vec3> lattice(count), position(count);
  Array<int> neighbors(count);
  UniformGrid grid;
  launch(count, RandomLattice{edge, lattice.view()});
  grid.build(lattice.const_view(), radius, 2);
  launch(count, Gather{lattice.const_view(), grid.order(), position.view()});
  lattice.release();
  PrimitiveTiming timing = time_stages_of(
      {{"build", [&] { grid.build(position.const_view(), radius, 2); }},
       {"query",
        [&] {
          launch(count, CountNeighbors{grid.view(), position.const_view(), radius, neighbors.view()});
        }}},
      count);
  Reduction<double> sum;
  sum.run(count, sum_of(SumCounts{neighbors.const_view()}));
  timing.neighbors_per_element = sum.read() / count;
  return timing;
}

/// Peridynamic bond product: a cube of particles with a horizon of 3.015 spacings, one application of the
/// matrix over all half-bonds, the vector's packing included.
PrimitiveTiming time_bonds(int count) {
  int edge = 1;
  while (edge * edge * edge < count) ++edge;
  SystemState state;
  state.name = "benchmark";
  PeridynamicsParameters solid;
  solid.materials = {{.body = 0, .density = 1, .spacing = 1}};
  state.parameters = MethodParameters(solid);
  state.body.assign(size_t(count), 0);
  HostParticles particles;
  for (int i = 0; i < count; ++i) {
    particles.position.push_back({float(i % edge), float(i / edge % edge), float(i / edge / edge)});
    particles.velocity.push_back({0, 0, 0});
    for (std::vector<float>* one : {&particles.mass, &particles.inverse_mass}) one->push_back(1);
    particles.radius.push_back(0.5f);
    particles.id.push_back(i);
    particles.body.push_back(0);
    particles.system.push_back(0);
  }
  ParticleStore store;
  store.add_system(particles);
  PeridynamicBonds bonds(state, bond_materials(state), store, {0, count}, 1);
  Array<Vec3> product(count);
  const View<const Vec3> vector = store.position.const_view();
  const View<const float> effective_mass = store.mass.const_view();
  Array<SymmetricMatrix3> diagonal(count);
  bonds.measure_stiffness(diagonal.view());
  PrimitiveTiming timing =
      time_stages_of({{"product",
                       [&] {
                         bonds.multiply({{}, 1.0f, effective_mass, vector, product.view()});
                       }}},
                     count);
  timing.bonds_per_element = 0.5 * bonds.list().neighbor.count / count;
  const PrimitiveTiming triad = time_triad(1 << 25);
  timing.bandwidth = 1e3 * triad.moved_bytes / triad.milliseconds;
  return timing;
}

/// A cube of `count` cells at most: coarse grids, then the pressure to 1e-4.
PrimitiveTiming time_multigrid(int count) {
  int edge = 4;
  while ((edge + 4) * (edge + 4) * (edge + 4) <= count) edge += 4;
  Multigrid matrix;
  GridConjugateGradient solver;
  matrix.resize({edge, edge, edge});
  Array<float> b(matrix.box().count());
  Array<double> x(matrix.box().count());
  launch_cells({edge, edge, edge}, WavyWater{edge, matrix.coefficients(), b.view()});
  LinearSolveLimits limits{.tolerance = 1e-4, .max_iterations = 100, .reference = 0};
  LinearSolveResult solved;
  DeviceTraffic before{}, after{};
  PrimitiveTiming timing = time_stages_of({{"coarse grids", [&] { matrix.build(); }},
                                           {"clear", [&] { x.zero(); }, false},
                                           {"solve",
                                            [&] {
                                              before = device_traffic();
                                              solved = solver.solve(matrix, b.const_view(), x.view(), limits);
                                              limits.expected = solved.iterations;
                                              after = device_traffic();
                                            }}},
                                          count);
  Reduction<double> unknowns;
  unknowns.run(matrix.diagonal().count, sum_of(CountUnknowns{matrix.diagonal()}));
  timing.cells = unknowns.read();
  timing.iterations = solved.iterations;
  timing.graphs = static_cast<double>(after.graphs - before.graphs);
  timing.reads = static_cast<double>(after.reads - before.reads);
  return timing;
}

}  // namespace

PrimitiveTiming time_primitive(const std::string& name, int count) {
  const std::map<std::string, PrimitiveTiming (*)(int)> primitives = {
      {"triad", time_triad}, {"scan", time_scan},   {"sort", time_sort},
      {"grid", time_grid},   {"bonds", time_bonds}, {"multigrid", time_multigrid}};
  return primitives.at(name)(count);
}

#if MERGANSER_GPU_HALF
void time_kernels(bool on) {
  set_kernel_timing(on);
  set_launch_graphs(!on);
}
#endif

MERGANSER_END
