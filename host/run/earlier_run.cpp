#include "host/run/earlier_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "device/errors.h"
#include "host/files/hdf5_image.h"
#include "host/files/own_files.h"
#include "host/files/sealed_image.h"
#include "host/output/run_frames.h"
#include "host/run/checkpoint.h"
#include "host/run/run_folder.h"
#include "solvers/core/method.h"

namespace merganser {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* start_kind = "start";
constexpr int start_format = 1;

/// Source of particles named by --from.
struct Source {
  RunFolder folder;
  fs::path frame;  ///< empty: the last checkpoint
};

Source source_of(const std::string& from) {
  std::error_code none;
  if (fs::is_directory(from, none)) return {{from}, {}};
  if (fs::exists(from, none)) {
    const fs::path file = from;
    if (is_frame_file(file.filename().string()) && file.extension() == ".vtkhdf")
      return {{fs::absolute(file).parent_path().parent_path()}, file};
    throw InputError("--from: '" + from +
                     "' is neither the folder of a run nor a frame; give DIR, DIR@FRAME or "
                     "DIR/frames/frame_NNNNNN.vtkhdf");
  }
  const size_t at = from.rfind('@');
  int number = -1;
  if (at != from.npos && at + 1 < from.size()) {
    const char* end = from.data() + from.size();
    const auto read = std::from_chars(from.data() + at + 1, end, number);
    if (read.ec != std::errc() || read.ptr != end) number = -1;
  }
  if (number < 0) throw InputError("--from: '" + from + "' is not there");
  const RunFolder folder{from.substr(0, at)};
  return {folder, folder.frames() / frame_name(number)};
}

/// Systems and bodies as a run's scene.json lists them; `place` finds the list of a body's particles.
struct Names {
  std::vector<TakenSystem> systems;
  std::vector<std::pair<size_t, size_t>> place;  ///< by body: system, body in it
};

Names read_names(const RunFolder& folder, std::string& text) {
  const std::vector<char> bytes = read_file(folder.scene());
  text.assign(bytes.begin(), bytes.end());
  try {
    const Json scene = Json::parse(text);
    const Json& simulation = scene.at("simulation");
    const double radius =
        simulation.at("particleRadius").get<double>() / simulation.at("resolution").get<double>();
    Names names;
    for (const Json& system : scene.at("systems")) {
      TakenSystem made{system.at("name"), system.at("type"), radius, {}};
      for (const char* list : {"bodies", "emitters"})
        for (const Json& body : system.value(list, Json::array())) {
          names.place.emplace_back(names.systems.size(), made.bodies.size());
          made.bodies.push_back({body.at("name"), {}, {}});
        }
      names.systems.push_back(std::move(made));
    }
    return names;
  } catch (const nlohmann::json::exception&) {
    throw InputError("--from: '" + folder.scene().string() + "' is not the scene of a run");
  }
}

/// Particles in any order; those with system -1 are not there yet.
struct Particles {
  std::vector<Float3> position, velocity;
  std::vector<std::int32_t> id, body, system;
};

TakenParticles sorted_by_body(const Particles& particles, Names names, const std::string& source) {
  std::vector<size_t> order(particles.id.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return particles.id[a] < particles.id[b]; });
  TakenParticles taken{source, std::move(names.systems)};
  for (const size_t i : order) {
    if (particles.system[i] < 0) continue;
    const std::int32_t body = particles.body[i];
    if (body < 0 || size_t(body) >= names.place.size())
      throw InputError("--from: " + source + " is of another scene than the scene.json of its run");
    const auto& [s, b] = names.place[size_t(body)];
    taken.systems[s].bodies[b].position.push_back(particles.position[i]);
    taken.systems[s].bodies[b].velocity.push_back(particles.velocity[i]);
  }
  return taken;
}

std::vector<Float3> points_of(const StateArchive& archive, const std::string& name) {
  const auto flat = archive.get<float>(name);
  std::vector<Float3> points(flat.size() / 3);
  if (!points.empty()) std::memcpy(points.data(), flat.data(), points.size() * sizeof(Float3));
  return points;
}

/// The newest that is whole; damaged ones stay as they are.
std::pair<Checkpoint, fs::path> last_checkpoint(const RunFolder& folder) {
  std::string damaged;
  for (const fs::path& file : list_checkpoints(folder.checkpoints())) try {
      return {read_checkpoint(file), file};
    } catch (const DamagedError& error) {
      damaged += std::string("; ") + error.what();
    }
  throw InputError(fmt::format("--from: '{}' has no checkpoint to start from{}; name a frame: {}@FRAME",
                               folder.root.string(), damaged, folder.root.string()));
}

Particles particles_of(const Checkpoint& checkpoint) {
  const StateArchive& archive = checkpoint.simulation;
  return {points_of(archive, "particles/position"), points_of(archive, "particles/velocity"),
          archive.get<std::int32_t>("particles/id"), archive.get<std::int32_t>("particles/body"),
          archive.get<std::int32_t>("particles/system")};
}

void expect_equal_lengths(const Particles& particles, const std::string& source) {
  const size_t count = particles.id.size();
  for (const size_t size :
       {particles.position.size(), particles.velocity.size(), particles.body.size(), particles.system.size()})
    if (size != count) throw InputError("--from: the lists of particles in " + source + " differ in length");
}

/// nullptr where the other run has no such body in such a system.
const TakenBody* find(const TakenParticles& taken, const std::string& system, const std::string& body) {
  for (const TakenSystem& there : taken.systems)
    for (const TakenBody& found : there.bodies)
      if (there.name == system && found.name == body) return &found;
  return nullptr;
}

}  // namespace

std::vector<std::string> notes_on_taken(const TakenParticles& taken, const InitialState& state) {
  std::vector<std::string> from, anew, empty;
  for (const BodyInfo& body : state.bodies) {
    const SystemState& system = state.systems[size_t(body.system)];
    const TakenBody* there = find(taken, system.name, body.name);
    const bool none = there && there->position.empty();
    (none && is_fluid(system) ? empty : there && !none ? from : anew).push_back("'" + body.name + "'");
  }
  std::vector<std::string> notes{
      fmt::format("particles of {} are those in {}; time begins at 0", fmt::join(from, ", "), taken.source)};
  if (!anew.empty()) notes.push_back(fmt::format("new: {}", fmt::join(anew, ", ")));
  if (!empty.empty()) notes.push_back(fmt::format("without particles, as there: {}", fmt::join(empty, ", ")));
  return notes;
}

std::vector<std::string> warnings_on_taken(const TakenParticles& taken, const InitialState& state) {
  std::vector<std::string> left_out;
  std::set<std::string> known;
  for (const BodyInfo& body : state.bodies)
    if (find(taken, state.systems[size_t(body.system)].name, body.name)) known.insert(body.name);
  for (const TakenSystem& system : taken.systems)
    for (const TakenBody& body : system.bodies)
      if (!body.position.empty() && !known.contains(body.name)) left_out.push_back("'" + body.name + "'");
  if (left_out.empty()) return {};
  return {fmt::format("{} of {} left out: the scene has no such bodies in systems of the same names",
                      fmt::join(left_out, ", "), taken.source)};
}

fs::path folder_of_earlier_run(const std::string& from) { return source_of(from).folder.root; }

TakenParticles read_earlier_run(const std::string& from) {
  const Source source = source_of(from);
  if (!fs::exists(source.folder.scene()))
    throw InputError("--from: '" + source.folder.root.string() +
                     "' is not the folder of a run: it has no scene.json");
  std::string text;
  Names names = read_names(source.folder, text);
  Particles particles;
  std::string name;
  if (source.frame.empty()) {
    const auto [checkpoint, file] = last_checkpoint(source.folder);
    name = "'" + file.string() + "'";
    if (checkpoint.scene_hash != checksum(text))
      throw InputError("--from: '" + source.folder.scene().string() + "' was changed after " + name +
                       " had been written");
    particles = particles_of(checkpoint);
  } else {
    if (!fs::exists(source.frame)) throw InputError("--from: '" + source.frame.string() + "' is not there");
    name = "'" + source.frame.string() + "'";
    const FrameParticles frame = read_frame(source.frame);
    particles = {frame.position, frame.velocity, frame.id, frame.body, frame.system};
  }
  expect_equal_lengths(particles, name);
  return sorted_by_body(particles, std::move(names), name);
}

void write_taken_particles(const fs::path& file, const TakenParticles& taken, const InPlace& in_place) {
  Json lists = Json::array();
  std::vector<Float3> position, velocity;
  for (const TakenSystem& system : taken.systems) {
    Json bodies = Json::array();
    for (const TakenBody& body : system.bodies) {
      bodies.push_back({{"name", body.name}, {"particles", body.position.size()}});
      position.insert(position.end(), body.position.begin(), body.position.end());
      velocity.insert(velocity.end(), body.velocity.begin(), body.velocity.end());
    }
    lists.push_back({{"name", system.name},
                     {"type", system.type},
                     {"particleRadius", system.particle_radius},
                     {"bodies", bodies}});
  }
  const std::string text =
      Json{{"source", taken.source}, {"systems", lists}}.dump(-1, ' ', true, Json::error_handler_t::replace);
  Hdf5Builder image;
  image.dataset("lists", ElementType::int8, {text.size()}, text.data());
  image.dataset("position", ElementType::float32, {position.size(), 3}, position.data());
  image.dataset("velocity", ElementType::float32, {velocity.size(), 3}, velocity.data());
  const std::vector<char> bytes = sealed(start_kind, start_format, image.finish());
  write_file_atomically(file, {{bytes.data(), bytes.size()}}, in_place);
}

bool holds_taken_particles(const fs::path& file) {
  const std::vector<char> bytes = read_file(file);
  try {
    return open_sealed({bytes.data(), bytes.size()}).kind == start_kind;
  } catch (const FileError&) {
    return false;
  }
}

TakenParticles read_taken_particles(const fs::path& file) {
  const std::vector<char> bytes = read_file(file);
  try {
    const SealedImage image = open_sealed({bytes.data(), bytes.size()});
    if (image.kind != start_kind || image.format != start_format)
      throw FileError(fmt::format("it is a {} of format {}", image.kind, image.format));
    const Hdf5Reader reader(image.image);
    const std::vector<char> text = reader.dataset("lists", ElementType::int8);
    const auto points = [&](const char* name) {
      const std::vector<char> flat = reader.dataset(name, ElementType::float32, 3);
      std::vector<Float3> list(flat.size() / sizeof(Float3));
      if (!list.empty()) std::memcpy(list.data(), flat.data(), list.size() * sizeof(Float3));
      return list;
    };
    const std::vector<Float3> position = points("position"), velocity = points("velocity");
    const Json lists = Json::parse(text.begin(), text.end());
    TakenParticles taken{lists.at("source"), {}};
    size_t at = 0;
    for (const Json& system : lists.at("systems")) {
      TakenSystem made{system.at("name"), system.at("type"), system.at("particleRadius"), {}};
      for (const Json& body : system.at("bodies")) {
        const size_t end = at + body.at("particles").get<size_t>();
        if (end < at || end > position.size() || end > velocity.size())
          throw FileError("its lists do not fit together");
        made.bodies.push_back({body.at("name"),
                               {position.begin() + long(at), position.begin() + long(end)},
                               {velocity.begin() + long(at), velocity.begin() + long(end)}});
        at = end;
      }
      taken.systems.push_back(std::move(made));
    }
    return taken;
  } catch (const nlohmann::json::exception& error) {
    throw FileError(
        fmt::format("'{}' does not hold the particles of a start ({})", file.string(), error.what()));
  } catch (const FileError& error) {
    throw FileError(
        fmt::format("'{}' does not hold the particles of a start ({}); restore it, or start again "
                    "with --from and --overwrite",
                    file.string(), error.what()));
  }
}

}  // namespace merganser
