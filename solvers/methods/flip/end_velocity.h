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

/// The group's velocity for members, whose affine motion and displacement vanish; v for immobile particles;
/// else the projected velocity v plus `shift`, which Flip::advanced takes off again: the displacement's
/// velocity and dt/2 S v, S = (C + C^T)/2: the midpoint rule for what the flow strains (by v alone, what
/// sinks and rises at a floor crowded there). Rotation is left to v, by which angular momentum is kept.
struct FlipEndVelocity {
  static constexpr const char* name = "flip end velocity";
  View<const int> group_of;         ///< over the whole store; empty where there are no groups
  View<const Vec3> group_velocity;  ///< [m/s]
  Range own;
  View<const Vec3> before;                  ///< [m/s] over the whole store
  View<const float> inverse_mass;           ///< [1/kg] over the whole store
  View<const Vec3> projected;               ///< [m/s] of own particles
  View<const Vec3> displacement;            ///< [m] of own particles; empty: none
  float dt;                                 ///< [s]
  View<Vec3> affine_x, affine_y, affine_z;  ///< [1/s] rows of C
  View<Vec3> shift;                         ///< [m/s] of own particles, written
  View<Vec3> end_velocity;                  ///< [m/s] over the whole store, written

  MERGANSER_METHOD void operator()(int k) const {
    const int i = own.first + k;
    const int group = group_of.empty() ? -1 : group_of[i];
    const bool alone = group < 0 && inverse_mass[i] > 0;
    Vec3 v = group >= 0 ? group_velocity[group] : alone ? projected[k] : before[i];
    shift[k] = {0, 0, 0};
    if (alone) {
      const Vec3 &x = affine_x[k], &y = affine_y[k], &z = affine_z[k];
      const Vec3 strained = Vec3{dot(x, v), dot(y, v), dot(z, v)} + x * v.x + y * v.y + z * v.z;  // 2 S v
      shift[k] = strained * (0.25f * dt);
      if (!displacement.empty()) shift[k] += displacement[k] * (1 / dt);
      v += shift[k];
    } else {
      affine_x[k] = affine_y[k] = affine_z[k] = {0, 0, 0};
    }
    end_velocity[i] = v;
  }
};

/// Takes the shift's velocity back. Where the fluid turns with w = curl v/2, the displacement d turns v the
/// other way, v -= q w x d, so that what goes towards an axis keeps its angular momentum: straight steps of
/// water in a bucket lead outwards, and displacements bring it back. q = (|W|^2 - |S|^2)/(|W|^2 + |S|^2), no
/// less than 0, W and S the parts of C: 1 of rotation, 0 of shear. (With q = 1 films that climb a wall,
/// pushed off it again and again, gained speed without bound.)
struct TakeOffShift {
  static constexpr const char* name = "flip take off shift";
  View<const Vec3> shift;         ///< [m/s] of own particles, as below
  View<const Vec3> displacement;  ///< [m]; empty: none
  FaceViews<const Vec3> affine;   ///< [1/s] rows of C
  View<Vec3> velocity;            ///< [m/s], updated
  MERGANSER_METHOD void operator()(int k) const {
    Vec3 v = velocity[k] - shift[k];
    if (!displacement.empty()) {
      const Vec3 d = displacement[k];
      const Vec3 &x = affine.axis[0][k], &y = affine.axis[1][k], &z = affine.axis[2][k];
      const float squares = norm_squared(x) + norm_squared(y) + norm_squared(z);
      const float turning = -(x.x * x.x + y.y * y.y + z.z * z.z + 2 * (x.y * y.x + x.z * z.x + y.z * z.y));
      if (turning > 0)
        v += (0.5f * turning / squares) *
             (x * d.x + y * d.y + z * d.z - Vec3{dot(x, d), dot(y, d), dot(z, d)});
    }
    velocity[k] = v;
  }
};

MERGANSER_END
