#pragma once
/// Particles on their way out of an emitter: they keep its velocity for a kernel's support behind its disc,
/// as in a nozzle, and push others with the density that they have.
///
/// Without a nozzle a jet that nothing pulls apart flies apart: pressure pushes the last layer back, the next
/// one comes too close to it, the density solve takes that compression away within a step, and the speed
/// which that takes lasts until the layer after. So any disturbance grows from layer to layer by the number
/// of steps between them. With one, no particle that moves freely has a new one within its kernel.
///
/// What an emitter has emitted tells by itself whether it is on its way: it is near the disc and has still
/// the emitter's velocity to the bit. What a wall or another body has moved is free, and what falls back into
/// an emitter stays so. Nothing has to be kept from step to step.
#include "device/array.h"
#include "device/particle_store.h"
#include "solvers/core/initial_state.h"
#include "solvers/methods/dfsph/apart.h"
#include "solvers/methods/dfsph/row_pairs.h"

MERGANSER_BEGIN

struct Nozzle {
  Vec3 disc;       ///< [m] its centre
  Vec3 direction;  ///< of length 1
  Vec3 velocity;   ///< [m/s] of what is emitted
  float length;    ///< [m]
  int body;        ///< of what is emitted
};

struct NozzlesView {
  View<const Nozzle> nozzle;
  NearestImage image;
  View<const int> body;       ///< of the store, as all that follows
  View<const Vec3> position;  ///< [m]
  View<const Vec3> velocity;  ///< [m/s]
  /// Particle i of the store.
  MERGANSER_METHOD bool hold(int i) const {
    for (int k = 0; k < nozzle.count; ++k) {
      const Nozzle& from = nozzle[k];
      if (body[i] != from.body || !(velocity[i] == from.velocity)) continue;
      Vec3 way = position[i] - from.disc;
      image.apply(way);
      const float gone = dot(way, from.direction);
      return -from.length < gone && gone < from.length;
    }
    return false;
  }
};

/// What is on its way out of an emitter stands apart from images.
struct NozzlesApart {
  static constexpr const char* name = "dfsph nozzles apart";
  NozzlesView nozzles;
  int first;        ///< of the store
  View<int> apart;  ///< Apart, written
  MERGANSER_METHOD void operator()(int k) const {
    apart[k] = static_cast<int>(nozzles.hold(first + k) ? Apart::from_images : Apart::no);
  }
};

/// All nozzles of a fluid, or of several in one solve.
class Nozzles {
 public:
  /// Those of a fluid's emitters; `length` [m]: the support of its kernel.
  void add(const SystemState& fluid, float length);
  bool any() const { return !nozzles_.empty(); }
  NozzlesView view(const ParticleStore& particles, const NearestImage& image) const {
    return {nozzles_.const_view(), image, particles.body.const_view(), particles.position.const_view(),
            particles.velocity.const_view()};
  }

 private:
  Array<Nozzle> nozzles_;
};

MERGANSER_END
