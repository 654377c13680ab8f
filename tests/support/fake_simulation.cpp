#include "tests/support/fake_simulation.h"
#include "solvers/methods/all_methods.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/fake_surfaces.h"
#include "tests/support/zero_row.h"

namespace merganser::fake {
namespace {

using Json = nlohmann::ordered_json;
constexpr double gravity = 9.81;  // [m/s^2]

class FreeFall : public Simulation {
 public:
  explicit FreeFall(const FakeScene& scene) : scene_(scene) {
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(scene.setup));
    std::uint32_t random = scene.seed * 2654435761u + 12345u;
    const auto draw = [&] {
      return static_cast<float>((random = random * 1664525u + 1013904223u) >> 8) / 16777216.0f;
    };
    for (int i = 0; i < scene.particles; ++i) {
      position_.push_back({draw(), draw(), draw()});
      velocity_.push_back({draw(), draw(), 0});
    }
    initial_ = sums();
  }
  long long step_count() const override { return step_; }
  double time() const override { return time_; }
  int particle_count() const override { return scene_.particles; }
  std::vector<int> particles_per_system() const override { return {scene_.particles}; }
  double next_time_step() override {
    return scene_.time_step * (1 + 0.5 * std::sin(position_.empty() ? 0.0 : 1000.0 * position_[0][2]));
  }

  Columns columns() const override {
    Columns columns = test::zero_row().columns();
    if (scene_.probe_every > 0) columns.push_back({.name = "ball_height", .file = Column::probes});
    return columns;
  }
  StepStatistics advance(double stop_time, bool wants_row) override {
    if (scene_.pause > 0)
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(scene_.pause));
    ++step_;
    if (step_ == scene_.diverge_at)
      throw DivergenceError("particle 3 of body 'drop' is not finite at step " + std::to_string(step_));
    if (step_ == scene_.memory_at) throw DeviceError("out of device memory");
    StepStatistics row(std::make_shared<const Columns>(columns()));
    for (const Column& column : test::zero_row().columns()) row.set(column.name, 0);
    row.dt = next_time_step();
    const bool arrives = time_ + row.dt >= stop_time;
    if (arrives) row.dt = stop_time - time_;
    time_ = arrives ? stop_time : time_ + row.dt;
    row.has_row = wants_row || arrives;
    const float dt = static_cast<float>(row.dt);
    for (size_t i = 0; i < position_.size(); ++i) {
      velocity_[i][2] -= dt * static_cast<float>(gravity);
      for (int axis = 0; axis < 3; ++axis) position_[i][axis] += dt * velocity_[i][axis];
    }
    const Sums now = sums();
    row.set("momentum", now.momentum);
    row.set("kinetic_energy", now.kinetic);
    row.set("potential_energy", now.potential);
    row.set("max_speed", now.max_speed);
    row.set("initial_momentum", initial_.momentum);
    row.set("initial_kinetic_energy", initial_.kinetic);
    row.set("initial_energy", initial_.kinetic + initial_.potential);
    row.step = step_;
    row.time = time_;
    row.set("step", static_cast<double>(step_));
    row.set("time", time_);
    row.set("dt", row.dt);
    row.cfl_time_step = scene_.cfl_step;
    row.set("crossings", scene_.crossing_at >= 0 && step_ >= scene_.crossing_at ? 1 : 0);
    if (scene_.probe_every > 0 && step_ % scene_.probe_every == 0) row.set("ball_height", position_[0][2]);
    row.stage_milliseconds = {{"grid", 0.25}, {"integrate", 0.5}};
    done_ = step_;
    return row;
  }

  void look(bool) override {
    if (hidden_seen_ == 0 && scene_.hidden_fault_at >= 0 && step_ >= scene_.hidden_fault_at)
      hidden_seen_ = step_;
  }
  std::vector<std::string> setup_warnings() const override {
    return scene_.setup_warning.empty() ? std::vector<std::string>{} : std::vector{scene_.setup_warning};
  }
  std::vector<std::string> warnings_so_far() const override {
    const std::string hidden =
        hidden_seen_ > 0 ? "a hidden fault, first seen in step " + std::to_string(hidden_seen_) : "";
    if (scene_.fault_at < 0 || done_ < scene_.fault_at) return {hidden, ""};
    return {hidden, "a fault, first in step " + std::to_string(scene_.fault_at) + ", in " +
                        std::to_string(done_ - scene_.fault_at + 1) + " rows"};
  }

  std::function<FrameData()> frame_now() const override {
    FrameData frame;
    frame.time = time_;
    frame.position = position_;
    frame.velocity = velocity_;
    for (int i = 0; i < scene_.particles; ++i) frame.id.push_back(i);
    frame.body.assign(position_.size(), 0);
    frame.system.assign(position_.size(), 0);
    frame.fields = {{"density", std::vector<float>(position_.size(), 1000.0f)}};
    frame.int_fields = {{"group", frame.id}};
    return [frame, pause = std::chrono::duration<double, std::milli>(scene_.frame_pause)] {
      std::this_thread::sleep_for(pause);
      return frame;
    };
  }
  StateArchive save() const override {
    StateArchive archive;
    archive.put("clock/time", &time_, 1);
    archive.put("clock/step", std::vector<std::int64_t>{step_, hidden_seen_});
    const auto put = [&](const std::string& name, const auto& vectors) {
      std::vector<float> components;
      for (const auto& vector : vectors) components.insert(components.end(), vector.begin(), vector.end());
      archive.put(name, components);
    };
    put("particles/position", position_);
    put("particles/velocity", velocity_);
    return archive;
  }
  void load(const StateArchive& archive) override {
    time_ = archive.get<double>("clock/time").at(0);
    step_ = done_ = archive.get<std::int64_t>("clock/step").at(0);
    hidden_seen_ = archive.get<std::int64_t>("clock/step").at(1);
    const auto position = archive.get<float>("particles/position"),
               velocity = archive.get<float>("particles/velocity");
    for (size_t i = 0; i < position_.size(); ++i)
      for (int axis = 0; axis < 3; ++axis) {
        position_[i][axis] = position.at(3 * i + axis);
        velocity_[i][axis] = velocity.at(3 * i + axis);
      }
  }
  size_t device_bytes() const override { return 24 * position_.size(); }
  std::map<std::string, std::pair<long long, double>> kernel_times() const override {
    return {{"fall", {step_, 0.5}}};
  }

 private:
  /// Of particles of 1 kg.
  struct Sums {
    Point3 momentum{};
    double kinetic = 0, potential = 0, max_speed = 0;
  };
  Sums sums() const {
    Sums sums;
    for (size_t i = 0; i < position_.size(); ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        sums.momentum[size_t(axis)] += velocity_[i][axis];
        sums.kinetic += 0.5 * double{velocity_[i][axis]} * velocity_[i][axis];
      }
      sums.potential += gravity * position_[i][2];
      sums.max_speed = std::max<double>(sums.max_speed, std::abs(velocity_[i][2]));
    }
    return sums;
  }

  FakeScene scene_;
  std::vector<Float3> position_, velocity_;
  Sums initial_;
  double time_ = 0;
  long long step_ = 0, done_ = 0;  ///< begun and ended
  long long hidden_seen_ = 0;
};

/// Calls `visit(key, value)` for every key of a fake scene, so that reading and writing agree.
template <class Visitor>
void for_each_key(FakeScene& scene, Visitor visit) {
  visit("title", scene.title);
  visit("note", scene.note);
  visit("setupWarning", scene.setup_warning);
  visit("resourceWarning", scene.resource_warning);
  visit("endTime", scene.end_time);
  visit("frameRate", scene.frame_rate);
  visit("particles", scene.particles);
  visit("seed", scene.seed);
  visit("timeStepSize", scene.time_step);
  visit("pause", scene.pause);
  visit("framePause", scene.frame_pause);
  visit("setup", scene.setup);
  visit("divergeAt", scene.diverge_at);
  visit("outOfMemoryAt", scene.memory_at);
  visit("crossingAt", scene.crossing_at);
  visit("faultAt", scene.fault_at);
  visit("hiddenFaultAt", scene.hidden_fault_at);
  visit("cflTimeStep", scene.cfl_step);
  visit("statisticsInterval", scene.statistics_interval);
  visit("probeEvery", scene.probe_every);
  visit("resolution", scene.resolution);
}

FakeScene parse(const Json& json) {
  FakeScene scene;
  size_t known = json.contains("checks");
  for_each_key(scene, [&](const char* key, auto& value) {
    if (json.contains(key)) value = json.at(key).get<std::decay_t<decltype(value)>>(), ++known;
  });
  if (known != json.size()) throw InputError("scene: unknown key");
  if (!(scene.frame_rate > 0 && scene.time_step > 0 && scene.particles >= 0))
    throw InputError(
        "scene: frameRate and timeStepSize must be greater than 0, particles must not be negative");
  return scene;
}

Scene load_scene(const std::filesystem::path& file, const SceneOverrides& overrides) {
  std::ifstream stream(file);
  if (!stream) throw InputError("scene file '" + file.string() + "' is missing");
  Json json;
  try {
    json = Json::parse(stream);
  } catch (const std::exception&) {
    throw InputError("scene file '" + file.string() + "' is no JSON");
  }
  for (const std::string& change : overrides.set) {
    const size_t equals = change.find('=');
    if (equals == change.npos) throw InputError("--set " + change + ": KEY=VALUE is allowed");
    json[change.substr(0, equals)] = Json::parse(change.substr(equals + 1));
  }
  if (overrides.resolution) json["resolution"] = *overrides.resolution;
  if (overrides.seed) json["seed"] = *overrides.seed;
  FakeScene fake = parse(json);
  if (overrides.end_time) fake.end_time = *overrides.end_time;
  if (overrides.frames) fake.end_time = static_cast<double>(*overrides.frames) / fake.frame_rate;

  Json resolved;
  for_each_key(fake, [&](const char* key, auto& value) { resolved[key] = value; });
  Scene scene;
  scene.title = fake.title;
  scene.file = file;
  scene.resolution = fake.resolution;
  scene.end_time = fake.end_time;
  scene.frame_rate = fake.frame_rate;
  scene.statistics_interval = fake.statistics_interval;
  if (json.contains("checks"))
    for (const Json& check : json["checks"])
      scene.checks.push_back(
          {check.at("type"), check.value("system", ""), check.value("sheet", ""), check.value("limit", 0.0)});
  resolved["checks"] = json.value("checks", Json::array());
  scene.resolved_json = resolved.dump(2) + "\n";
  return scene;
}

}  // namespace

std::unique_ptr<Simulation> make_simulation(const FakeScene& scene) {
  return std::make_unique<FreeFall>(scene);
}

Services services() {
  // InitialState has no room for what a fake scene says; the scene takes this way around it.
  const auto current = std::make_shared<FakeScene>();
  Services services;
  services.load_scene = [](const std::filesystem::path& file, const SceneOverrides& overrides) {
    try {
      return fake::load_scene(file, overrides);
    } catch (const Json::exception& error) {  // values of wrong types
      throw InputError("scene file '" + file.string() + "': " + error.what());
    }
  };
  services.build_initial_state = [current](const Scene& scene, const BuildOptions&) {
    *current = parse(Json::parse(scene.resolved_json));
    InitialState initial;
    initial.seed = current->seed;
    initial.systems = {new_system("sph")};
    initial.systems[0].name = "drop";
    initial.systems[0].mass.assign(static_cast<size_t>(current->particles), 1.0f);
    return initial;
  };
  services.make_simulation = [current](const InitialState&, const Device&) {
    return make_simulation(*current);
  };
  services.notes_on_start = [current](const InitialState&) { return current->note; };
  services.scene_schema = [] { return std::string("{\"title\": \"fake scene\"}\n"); };
  services.check_scene = [](const Scene& scene, bool json) -> CheckedScene {
    const std::string count = std::to_string(parse(Json::parse(scene.resolved_json)).particles);
    return {json ? "{\"particles\": " + count + "}\n" : scene.title + ": " + count + " particles\n", ""};
  };
  services.expect_resources = [](const Scene& scene, const Device&, const std::filesystem::path&) {
    const std::string warning = parse(Json::parse(scene.resolved_json)).resource_warning;
    return warning.empty() ? std::vector<std::string>{} : std::vector{warning};
  };
  services.run_benchmark = [](const BenchmarkOptions&) { return 0; };
  add_surface_services(services);
  services.sample_mesh = [](const SampleOptions& options) {
    const bool blue_noise = options.forces == RelaxationForces::blueNoise;
    return RelaxedSample{.position = {{0, 0, 0}, {blue_noise ? 2.0f : 1.0f, 0, 0}}};
  };
  return services;
}

}  // namespace merganser::fake
