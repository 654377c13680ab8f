/// Slots that the eight particles of a block share: every slot is loaded and multiplied for all eight.
#include <gtest/gtest.h>

#include <cmath>

#include "solvers/geometry/relaxation/relaxed_sampling.h"
#include "solvers/geometry/sampling/shapes.h"
#include "solvers/methods/elastic_sph/elastic_sph_parameters.h"
#include "solvers/methods/elastic_sph/neighbor_blocks.h"
#include "tests/support/elastic_driver.h"
#include "tests/support/made_meshes.h"
#include "tests/support/note.h"

MERGANSER_BEGIN
namespace elastic_slots_test {

using test::SoftBody;

struct Slots {
  double per_block, neighbors;  ///< neighbors: of a particle, mean
};

Slots slots_of(const SoftBody& body) {
  ParticleStore store;
  store.add_system(initial_particles(body));
  const RestShape shape(body, store, store.range(0));
  const NeighborBlocks blocks(shape);
  return {double(blocks.slots()) / std::ceil(shape.count() / 8.0),
          double(shape.neighbor.size()) / shape.count()};
}

TEST(ElasticSlots, EqualTheNeighborsOnALattice) {
  SoftBody body;
  body.add_lattice(16, 12, 12);
  const Slots slots = slots_of(body);
  EXPECT_LT(slots.per_block, 1.2 * slots.neighbors);
}

/// Along lines; numbered along a Morton curve it is four times as many.
TEST(ElasticSlots, OfARelaxedBodyAreFew) {
  SoftBody body;
  const auto d = float(body.parameters.of<ElasticSphParameters>().materials.at(0).spacing);
  for (const Float3& x :
       relaxed_sample(merganser::test::ball_mesh({0, 0, 0}, 0.5, 4), {.spacing = d}).position)
    body.add(x);
  const Slots slots = slots_of(body);
  note("%zu particles with %.1f neighbors: %.1f slots\n", body.position.size(), slots.neighbors,
       slots.per_block);
  EXPECT_GT(body.position.size(), 3000u);
  EXPECT_LT(slots.per_block, 2.75 * slots.neighbors);
}

/// Scenes make soft bodies in these ways, and all are numbered along lines: hence nothing is numbered anew
/// within the solver. At random it would be six to eight times as many slots as neighbors.
TEST(ElasticSlots, OfEverySamplingAreFew) {
  const double d = SoftBody().parameters.of<ElasticSphParameters>().materials.at(0).spacing;
  struct Case {
    const char* name;
    Sampling sampling;
    double most;  ///< slots a neighbor
  };
  for (const Case& one : {Case{"cubic", {.spacing = d}, 1.4},
                          Case{"hexagonal", {.spacing = d, .packing = Packing::hexagonal}, 1.5},
                          Case{"jittered", {.spacing = d, .jitter = 0.2}, 1.9}}) {
    SoftBody body;
    for (const Float3& x : sample_sphere({0, 0, 0}, 0.45, one.sampling)) body.add(x);
    const Slots slots = slots_of(body);
    note("%s: %zu particles with %.1f neighbors: %.1f slots\n", one.name, body.position.size(),
         slots.neighbors, slots.per_block);
    EXPECT_GT(body.position.size(), 2500u) << one.name;
    EXPECT_LT(slots.per_block, one.most * slots.neighbors) << one.name;
  }
}

}  // namespace elastic_slots_test
MERGANSER_END
