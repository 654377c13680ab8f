/// Position of a point of a body: of the particle that was nearest to it at the start, followed by its id.
#include <limits>

#include "device/errors.h"
#include "solvers/observables/probes/probe.h"

MERGANSER_BEGIN

namespace {

struct FoundParticle {
  bool found;
  Vec3 position;  ///< [m]
};

struct FindParticle {
  static constexpr const char* name = "probe: position";
  using Value = FoundParticle;
  int wanted;
  View<const int> id;  ///< of the system's particles, as all here
  View<const Vec3> position;
  MERGANSER_METHOD FoundParticle operator()(int i) const {
    return id[i] == wanted ? FoundParticle{true, position[i]} : identity();
  }
  MERGANSER_METHOD static FoundParticle identity() { return {false, {0, 0, 0}}; }
  MERGANSER_METHOD static FoundParticle combine(const FoundParticle& a, const FoundParticle& b) {
    return a.found ? a : b;
  }
};

class PositionProbe final : public Probe {
 public:
  explicit PositionProbe(const ProbeParameters& parameters) : parameters_(parameters) {}
  void start(const ObservedParts& parts) override {
    const auto position = parts.particles.position.to_host();
    const auto id = parts.particles.id.to_host(), body = parts.particles.body.to_host();
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < id.size(); ++i) {
      const double square = norm_squared(to_double(position[i]) - vec3d(parameters_.point));
      if (body[i] != parameters_.body_index || !(square < least)) continue;
      least = square;
      id_ = id[i];
    }
    if (id_ < 0)
      throw InputError("probes." + parameters_.name + ".body: '" + parameters_.body +
                       "' has no particle at the start");
  }
  void measure(const ProbedStep& step) override {
    const ParticleStore& particles = step.parts.particles;
    const Range own = particles.range(parameters_.system_index);
    found_.run(own.count,
               FindParticle{.wanted = id_,
                            .id = particles.id.const_view().subview(own.first, own.count),
                            .position = particles.position.const_view().subview(own.first, own.count)});
  }
  std::vector<double> values() const override {
    const FoundParticle found = found_.fetched();
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    if (!found.found) return {nothing, nothing, nothing};
    return {found.position.x, found.position.y, found.position.z};
  }

 private:
  ProbeParameters parameters_;
  int id_ = -1;
  Reduction<FoundParticle> found_;
};

}  // namespace

std::unique_ptr<Probe> make_position_probe(const ProbeParameters& probe, const InitialState&) {
  return std::make_unique<PositionProbe>(probe);
}

MERGANSER_END
