#pragma once
/// Velocities before and after the projection, of particles alone and in merge groups ([MS] sec. 4; the
/// contract of MetaParticleView).
#include "device/launch.h"
#include "solvers/core/group_members.h"
#include "solvers/methods/flip/flip_grid.h"

MERGANSER_BEGIN

/// v* = v + dt g with the group's velocity for members; without gravity where particle or group is
/// immobile.
struct FreeVelocity {
  static constexpr const char* name = "flip free velocity";
  MetaParticleView groups;
  View<const Vec3> velocity;       ///< [m/s] over the whole store
  View<const float> inverse_mass;  ///< [1/kg] over the whole store
  int first;
  Vec3 fall;  ///< [m/s] dt g
  View<Vec3> free_velocity;
  MERGANSER_METHOD void operator()(int k) const {
    const int i = first + k;
    const int group = groups.group_count > 0 ? groups.group_of[i] : -1;
    const Vec3 v = group >= 0 ? groups.velocity[group] : velocity[i];
    const bool mobile = (group >= 0 ? groups.inverse_mass[group] : inverse_mass[i]) > 0;
    free_velocity[k] = mobile ? v + fall : v;
  }
};

/// Velocity of every group as this fluid sees it: the mean over the members that the fluid owns, whose masses
/// are equal; V where the group is immobile.
struct FlipGroupVelocity {
  static constexpr const char* name = "flip group velocity";
  using Value = MemberSum;
  OwnGroupMembers members;
  View<const Vec3> velocity;  ///< [m/s] of own particles after the projection
  View<Vec3> group_velocity;
  MERGANSER_METHOD int begin(int g) const { return members.begin(g); }
  MERGANSER_METHOD int end(int g) const { return members.end(g); }
  MERGANSER_METHOD void add(MemberSum& sum, int, int k) const { sum.add(velocity[members.own_index(k)]); }
  MERGANSER_METHOD static MemberSum identity() { return {}; }
  MERGANSER_METHOD static MemberSum combine(const MemberSum& a, const MemberSum& b) { return a + b; }
  MERGANSER_METHOD void finish(int g, const MemberSum& sum) const {
    group_velocity[g] = sum.members > 0 ? sum.mean() : members.groups.velocity[g];
  }
};

/// The affine matrix C = S + W of a particle, S symmetric, W antisymmetric.
struct AffineMotion {
  Vec3 x, y, z;  ///< [1/s] rows of C
  /// S v and W v.
  MERGANSER_METHOD Vec3 strain(const Vec3& v) const { return (times(v) + transposed_times(v)) * 0.5f; }
  MERGANSER_METHOD Vec3 turn(const Vec3& v) const { return (times(v) - transposed_times(v)) * 0.5f; }
  /// q = (|W|^2 - |S|^2)/(|W|^2 + |S|^2), no less than 0: 1 of rotation, 0 of shear.
  MERGANSER_METHOD float rotation() const {
    const float difference = -(x.x * x.x + y.y * y.y + z.z * z.z + 2 * (x.y * y.x + x.z * z.x + y.z * z.y));
    return difference > 0 ? difference / (norm_squared(x) + norm_squared(y) + norm_squared(z)) : 0.0f;
  }

 private:
  MERGANSER_METHOD Vec3 times(const Vec3& v) const { return {dot(x, v), dot(y, v), dot(z, v)}; }
  MERGANSER_METHOD Vec3 transposed_times(const Vec3& v) const { return x * v.x + y * v.y + z * v.z; }
};

/// The group's velocity for members, whose affine motion and displacement vanish; v for immobile particles;
/// else the projected velocity v plus `shift`, which Flip::advanced takes off again: the displacement's
/// velocity and dt/2 (S + q W) v: the midpoint rule for what the flow strains (by v alone, what sinks and
/// rises at a floor crowded there) and turns. In shear q = 0.
struct FlipEndVelocity {
  static constexpr const char* name = "flip end velocity";
  View<const int> group_of;         ///< over the whole store; empty where there are no groups
  View<const Vec3> group_velocity;  ///< [m/s]
  Range own;
  View<const Vec3> before;         ///< [m/s] over the whole store
  View<const float> inverse_mass;  ///< [1/kg] over the whole store
  View<const Vec3> projected;      ///< [m/s] of own particles
  View<const Vec3> displacement;   ///< [m] of own particles; empty: none
  float dt;                        ///< [s]
  FaceViews<Vec3> affine;          ///< [1/s] rows of C
  View<Vec3> shift;                ///< [m/s] of own particles, written
  View<Vec3> end_velocity;         ///< [m/s] over the whole store, written

  MERGANSER_METHOD void operator()(int k) const {
    const int i = own.first + k;
    const int group = group_of.empty() ? -1 : group_of[i];
    const bool alone = group < 0 && inverse_mass[i] > 0;
    Vec3 v = group >= 0 ? group_velocity[group] : alone ? projected[k] : before[i];
    shift[k] = {0, 0, 0};
    if (alone) {
      const AffineMotion motion{affine.axis[0][k], affine.axis[1][k], affine.axis[2][k]};
      shift[k] = (motion.strain(v) + motion.turn(v) * motion.rotation()) * (0.5f * dt);
      if (!displacement.empty()) shift[k] += displacement[k] * (1 / dt);
      v += shift[k];
    } else {
      for (int axis = 0; axis < 3; ++axis) affine.axis[axis][k] = {0, 0, 0};
    }
    end_velocity[i] = v;
  }
};

/// Takes the shift's velocity back. Where the fluid turns with w = curl v/2, a displacement d turns v the
/// other way, v -= q w x d, so that what goes towards an axis keeps its angular momentum. d is that of the
/// volume and dt^2/2 W v, from the straight step to the arc: q W (d + dt^2/2 W v) is taken off. (With q = 1
/// in shear films that climb a wall, pushed off it again and again, gained speed without bound.)
///
/// What the particle brings to faces next is W + strain S: all of S with APIC, half with FLIP. With all of it
/// pressure took away velocities that no FLIP particle has, and particles gained that energy.
struct TakeOffShift {
  static constexpr const char* name = "flip take off shift";
  View<const Vec3> shift;         ///< [m/s] of own particles, as above
  View<const Vec3> displacement;  ///< [m]; empty: none
  FaceViews<Vec3> affine;         ///< [1/s] rows of C, updated
  float strain;
  float dt;             ///< [s]
  View<Vec3> velocity;  ///< [m/s], updated
  MERGANSER_METHOD void operator()(int k) const {
    const Vec3 v = velocity[k] - shift[k];
    const AffineMotion motion{affine.axis[0][k], affine.axis[1][k], affine.axis[2][k]};
    Vec3 d = motion.turn(v) * (0.5f * dt * dt);
    if (!displacement.empty()) d += displacement[k];
    velocity[k] = v - motion.turn(d) * motion.rotation();
    const float own = 0.5f + 0.5f * strain, across = 0.5f * strain - 0.5f;
    affine.axis[0][k] = motion.x * own + Vec3{motion.x.x, motion.y.x, motion.z.x} * across;
    affine.axis[1][k] = motion.y * own + Vec3{motion.x.y, motion.y.y, motion.z.y} * across;
    affine.axis[2][k] = motion.z * own + Vec3{motion.x.z, motion.y.z, motion.z.z} * across;
  }
};

MERGANSER_END
