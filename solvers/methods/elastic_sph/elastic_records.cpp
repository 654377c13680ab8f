/// What leaves and enters elastic bodies beside the step: notes, frames, checkpoints.
#include <sstream>

#include "solvers/methods/elastic_sph/elastic_sph.h"

MERGANSER_BEGIN

namespace {
std::vector<Vec3> vectors_of(const StateArchive& archive, const std::string& name) {
  const auto flat = archive.get<float>(name);
  std::vector<Vec3> vectors(flat.size() / 3);
  for (size_t i = 0; i < vectors.size(); ++i) vectors[i] = {flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]};
  return vectors;
}
}  // namespace

std::vector<std::pair<std::string, double>> ElasticSph::setup_metrics() const {
  if (!factored_) return {};
  const FactoredBodies::Figures& f = factored_->setup_metrics();
  return {{"factors", double(f.factors)},
          {"factor_nonzeros_million", 1e-6 * double(f.nonzeros)},
          {"factor_MB", 1e-6 * double(f.bytes)},
          {"factor_seconds", f.seconds}};
}

std::vector<std::string> ElasticSph::notes() const {
  std::vector<std::string> notes;
  const std::string system = "system '" + name_ + "': ";
  if (degenerate_ > 0)
    notes.push_back(
        "warning: " + system + std::to_string(degenerate_) +
        " particles have neighbors on one plane, line or none (the first is number " +
        std::to_string(first_degenerate_) +
        " of the system): they resist stretching only within what their neighbors span; sample the "
        "body more finely where it is thin");
  if (!too_large_.empty())
    notes.push_back("warning: " + system + too_large_ +
                    "; conjugate gradients with block Jacobi take its place");
  if (factored_) {
    const FactoredBodies::Figures& f = factored_->setup_metrics();
    std::ostringstream text;
    text << system << f.bodies << (f.bodies == 1 ? " body, " : " bodies, ") << f.factors
         << (f.factors == 1 ? " factor of " : " factors of ") << double(f.nonzeros) / 1e6
         << " M non-zeros in all, " << (f.inverses > 0 ? std::to_string(f.inverses) + " inverted, " : "")
         << double(f.bytes) / 1e6 << " MB, made in " << f.seconds << " s";
    notes.push_back(text.str());
  }
  return notes;
}

std::vector<std::pair<std::string, std::vector<float>>> ElasticSph::frame_fields() const {
  return {{"stress", stress_field_.to_host()}, {"volume_ratio", volume_ratio_.to_host()}};
}

void ElasticSph::save(StateArchive& archive, const std::string& prefix) const {
  const auto quaternion = quaternion_.to_host();
  archive.put(prefix + "/rotation", reinterpret_cast<const double*>(quaternion.data()),
              4 * quaternion.size());
  for (int k = 0; k < 3; ++k)
    archive.put(prefix + "/rest_" + std::string(1, char('x' + k)), shape_.rest_position(k));
  const auto rest = rounding_error_.to_host();
  archive.put(prefix + "/position_rest", reinterpret_cast<const float*>(rest.data()), 3 * rest.size());
  if (alone_) return alone_->save(archive, prefix);
  const auto change = volume_change_.to_host();
  archive.put(prefix + "/volume_change", reinterpret_cast<const float*>(change.data()), 3 * change.size());
}

void ElasticSph::load(const StateArchive& archive, const std::string& prefix) {
  const auto quaternion = archive.get<double>(prefix + "/rotation");
  if (quaternion.size() != 4 * size_t(quaternion_.size()))
    throw FileError("checkpoint: the elastic bodies under '" + prefix + "' are of another scene");
  for (int k = 0; k < 3; ++k)
    if (archive.get<float>(prefix + "/rest_" + std::string(1, char('x' + k))) != shape_.rest_position(k))
      throw FileError("checkpoint: the rest shape under '" + prefix + "' is that of another scene");
  std::vector<Quaternion> values(size_t(quaternion_.size()));
  std::memcpy(values.data(), quaternion.data(), sizeof(double) * quaternion.size());
  quaternion_.assign(values);
  rounding_error_.assign(vectors_of(archive, prefix + "/position_rest"));
  if (alone_) return alone_->load(archive, prefix);
  volume_change_.assign(vectors_of(archive, prefix + "/volume_change"));
}

MERGANSER_END
