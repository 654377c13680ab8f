/// A method that solvers/methods/ does not hold, declared in one file: dust that falls through still air. A
/// scene with it is read, built and stepped; its keys come with defaults, ranges, errors and schema.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "device/launch.h"
#include "host/scene/scene.h"
#include "host/scene/scene_report.h"
#include "host/simulation/simulation.h"
#include "solvers/base/parameter_rows.h"
#include "solvers/core/checked_parameters.h"
#include "solvers/core/system.h"
#include "solvers/methods/all_methods.h"
#include "solvers/methods/make_system.h"
#include "tests/support/temporary_folder.h"

namespace merganser {
namespace added_method_test {

struct DustParameters {
  static const ParameterTable& table() {
    static const ParameterTable made = ParameterRows<DustParameters>("system.dust")
                                           .number("drag", &DustParameters::drag, at_least(0).up_to(50),
                                                   "1/s", "force -m drag v of still air");
    return made;
  }
  double drag = 4;  ///< [1/s]
};

struct DustBody final : FilledBody {
  static const std::vector<BodyKind>& kinds() {
    static const std::vector<BodyKind> made = filled_body_kinds<DustBody>(
        "dustBody", ParameterRows<DustBody>("dustBody")
                        .number("density0", &DustBody::density0, above(0), "kg/m^3", "mass per volume"));
    return made;
  }
  double density0 = 2;  ///< [kg/m^3]
  double density(const SystemState&) const override { return density0; }
  Sampling sampling(const BodySite& site) const override {
    return {.spacing = site.spacing(), .packing = Packing::cubic, .jitter = 0, .seed = site.seed};
  }
  void add_to(SystemState& system, const BodySite& site) const override {
    for (const Float3& x : fill(site))
      add_particle(system, x, velocity, density0 * std::pow(site.spacing(), 3), site.particle_radius, false,
                   site.body);
  }
};

Method dust_method() {
  return {.word = "dust",
          .parameters = MethodParameters(DustParameters{}),
          .keys = {{&DustParameters::table()}, solid_keys()},
          .bodies = DustBody::kinds(),
          .bodies_meaning = "clouds of dust",
          .bound_step = [](const SystemState& system, const InitialState&, double, const StepBound& bound) {
            bound(0.5 / system.parameters.of<DustParameters>().drag, "drag of " + system.name);
          }};
}
/// Before main(), for tables of all keys are made when the first scene is read.
const Method& dust = add_method(dust_method());

}  // namespace added_method_test
}  // namespace merganser

MERGANSER_BEGIN
namespace added_method_test {

using namespace merganser::added_method_test;

/// v' = v + dt (g - a v).
struct FallThroughAir {
  static constexpr const char* name = "dust end velocity";
  int first_particle;
  View<const Vec3> velocity;  ///< [m/s] indexed like the store
  Vec3 gravity;               ///< [m/s^2]
  float dt, drag;             ///< [s], [1/s]
  View<Vec3> end_velocity;    ///< [m/s] indexed like the store, written
  MERGANSER_METHOD void operator()(int local) const {
    const int i = first_particle + local;
    end_velocity[i] = velocity[i] + dt * (gravity - drag * velocity[i]);
  }
};

class Dust final : public System {
 public:
  Dust(const SystemState& state, int system_index)
      : parameters_(checked_parameters<DustParameters>(state)), system_index_(system_index) {}
  bool implicit() const override { return false; }
  void prepare(const StepContext&) override {}
  void integrate(const StepContext& step, const MetaParticleView&, int, View<Vec3> end_velocity) override {
    const Range range = step.particles.range(system_index_);
    launch(range.count, FallThroughAir{.first_particle = range.first,
                                       .velocity = step.particles.velocity.const_view(),
                                       .gravity = step.gravity,
                                       .dt = float(step.dt),
                                       .drag = float(parameters_.drag),
                                       .end_velocity = end_velocity});
  }
  double time_step_limit() const override { return 0.5 / parameters_.drag; }
  SystemStatistics measured() const override { return {}; }

 private:
  DustParameters parameters_;
  int system_index_;
};

std::unique_ptr<System> make_dust(const SystemState& state, const InitialState&, int system_index,
                                  const ParticleStore&) {
  return std::make_unique<Dust>(state, system_index);
}

Scene load_dust(const std::vector<std::string>& set = {}) {
  const test::TemporaryFolder folder;
  test::write_text(folder / "dust.json", R"({
    "simulation": {"particleRadius": 0.05, "timeStepSize": 0.01, "gravitation": [0, 0, -10]},
    "coupling": {"method": "none"},
    "systems": [{"name": "cloud", "type": "dust", "selfContact": false, "bodies": [
      {"name": "puff", "shape": "box", "start": [0, 0, 0], "end": [0.2, 0.2, 0.3], "velocity": [3, 0, 0]}]}]
  })");
  SceneOverrides overrides;
  overrides.set = set;
  return load_scene(folder / "dust.json", overrides);
}

TEST(AddedMethod, IsReadFromItsTables) {
  const InitialState state = build_initial_state(load_dust());
  ASSERT_EQ(state.systems.size(), 1u);
  const SystemState& cloud = state.systems[0];
  EXPECT_EQ(cloud.method, find_method("dust"));
  EXPECT_EQ(cloud.position.size(), 12u);
  EXPECT_NEAR(cloud.mass[0], 2e-3, 1e-9);
  EXPECT_EQ(cloud.parameters.of<DustParameters>().drag, 4);
  EXPECT_FALSE(cloud.self_contact);
  EXPECT_EQ(build_initial_state(load_dust({"systems.cloud.drag=1.5"}))
                .systems[0]
                .parameters.of<DustParameters>()
                .drag,
            1.5);
  const auto resolved = nlohmann::json::parse(load_dust().resolved_json);
  EXPECT_EQ(resolved["systems"][0]["drag"], 4);
  EXPECT_EQ(resolved["systems"][0]["bodies"][0]["density0"], 2);
}

TEST(AddedMethod, ErrorsAndSchemaKnowItsKeys) {
  try {
    load_dust({"systems.cloud.drag=51"});
    FAIL() << "51 is out of range";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("drag"), std::string::npos) << error.what();
  }
  EXPECT_THROW(load_dust({"systems.cloud.dragg=1"}), InputError);
  const auto schema = nlohmann::json::parse(scene_schema());
  for (const char* key : {"drag", "selfContact", "bodies"})
    EXPECT_TRUE(schema["$defs"]["system.dust"]["properties"].contains(key)) << key;
  EXPECT_FALSE(schema["$defs"]["system.sph"]["properties"].contains("selfContact"));
}

/// v_n = v_0 (1 - dt a)^n + g (1 - (1 - dt a)^n)/a, the closed form of the explicit step; float rounding over
/// 40 steps stays below 1e-5 m/s.
TEST(AddedMethod, IsMadeAndStepped) {
  add_factory(*find_method("dust"), make_dust);
  const auto simulation = make_simulation(build_initial_state(load_dust()));
  for (int k = 0; k < 40; ++k) simulation->step(1e9);
  const double kept = std::pow(1 - 0.01 * 4, 40);
  const FrameData frame = simulation->frame();
  ASSERT_EQ(frame.velocity.size(), 12u);
  for (const Float3& v : frame.velocity) {
    EXPECT_NEAR(v[0], 3 * kept, 1e-5);
    EXPECT_NEAR(v[1], 0, 1e-5);
    EXPECT_NEAR(v[2], -10 * (1 - kept) / 4, 1e-5);
  }
}

TEST(AddedMethod, WithoutAFactoryIsRefused) {
  InitialState state = build_initial_state(load_dust());
  Method other = *state.systems[0].method;
  state.systems[0].method = &other;
  EXPECT_THROW(make_simulation(state), InputError);
}

}  // namespace added_method_test
MERGANSER_END
