/// Positions of particles as text: a line each.
#include <cstdio>

#include "host/output/exporters.h"

namespace merganser {

namespace {

class CsvParticles final : public ParticleExporter {
 public:
  std::string word() const override { return "csv"; }
  std::vector<char> encode(const FrameData& frame) const override {
    std::string text = "x,y,z\n";
    char line[128];
    for (const Float3& p : frame.position) {
      std::snprintf(line, sizeof line, "%.9g,%.9g,%.9g\n", double{p[0]}, double{p[1]}, double{p[2]});
      text += line;
    }
    return {text.begin(), text.end()};
  }
};

}  // namespace

const ParticleExporter& csv_particles_exporter() {
  static const CsvParticles made;
  return made;
}

}  // namespace merganser
