#pragma once
/// Bodies in groups of merging-and-splitting. A particle of body b that is in a group is an unknown u_i by
/// itself, tied to the body by a stiff term: it gets the impulse -p_i and the body p_i at its place,
///   p_i = k_b (start_i + u_i - J_i q),   k_b = strength m_b / (number of such particles of b),
/// J_i that of the group's centre of mass,
/// and q is eliminated. With q = q* + dq, q* what the body does without groups, and d_i = J_i q* - start_i:
///   A dq = k_b sum J_i^T (u_i - d_i) + D,   A = M - M_c + W + k_b sum J_i^T J_i,
/// M the body's mass matrix, M_c that of its particles in groups, whose mass their rows carry, and W stiff
/// terms of the walls that press on it. Walls and joints have carried the weight of these particles as well
/// when q* was found, and the rows bring it again. So it is taken off:
///   D = M_c (q* - q_0 - dt g),   q_0 the motion at the beginning; 0 where nothing holds the body.
/// The body's part of the product with u is
///   y_i = h_i u_i + k_b (u_i - J_i A^-1 k_b sum J_j^T u_j),
/// and its exact inverse, by Woodbury's formula with C = A - sum k_b^2/(h_i + k_b) J_i^T J_i,
///   z_i = (r_i + k_b J_i C^-1 sum k_b/(h_j + k_b) J_j^T r_j) / (h_i + k_b).
/// So the solve is one with those of all other implicit systems, and a body that several groups hold is held
/// by all of them at once.
#include "device/group_sums.h"
#include "solvers/coupling/implicit/implicit_system.h"
#include "solvers/methods/rigid/rigid_motion.h"
#include "solvers/methods/rigid/wall_holds.h"

MERGANSER_BEGIN

/// What the kernels of a stage know of a body's ties; one entry a body.
struct TieView {
  double strength;                ///< see tie_strength
  View<int> tied;                 ///< per particle: 1 where it is in a group
  View<Vec3d> arm;                ///< [m] per tied particle: where its group acts on the body
  View<double> stiffness;         ///< [kg] k_b; 0 = none of its particles is in a group
  View<MassMoments> members;      ///< of M_c
  View<TwistMatrix> ties, inner;  ///< A^-1 and C^-1
  View<Twist> drive;              ///< A^-1 (k_b sum J_i^T d_i - D)
  View<Twist> carried;            ///< D
};

/// Rows: bodies. Entries: their particles.
struct OverBodies {
  RigidView bodies;
  View<const float> effective_mass;  ///< [kg] h of the rows, 0 = fixed
  TieView tie;
  MERGANSER_METHOD int begin(int b) const { return bodies.first[b]; }
  MERGANSER_METHOD int end(int b) const { return bodies.first[b + 1]; }
  /// Tied, and not held by something immobile in its group.
  MERGANSER_METHOD bool moves(int i) const { return tie.tied[i] && effective_mass[i] > 0; }
};
/// D of the comment at the top. One index a body.
struct CarriedTwice {
  static constexpr const char* name = "rigid carried twice";
  RigidView bodies;
  TieView tie;
  Vec3d free_change;           ///< [m/s] dt g
  View<const Twist> velocity;  ///< q*
  MERGANSER_METHOD void operator()(int b) const {
    tie.carried[b] = {};
    if (!(tie.stiffness[b] > 0)) return;
    TwistMatrix members;
    members.add(tie.members[b]);
    const Twist free = bodies.velocities(b, bodies.momenta(b)) + Twist{free_change, {0, 0, 0}};
    tie.carried[b] = members * (velocity[b] - free);
  }
};
struct SumTwists : OverBodies {
  using Value = Twist;
  MERGANSER_METHOD static Twist identity() { return {}; }
  MERGANSER_METHOD static Twist combine(const Twist& a, const Twist& b) { return a + b; }
};

/// Which particles are tied, and where their groups act on the body: at the group's centre of mass, where all
/// that belongs to it meets, so that what two bodies exchange has no arm between them. One index a particle.
struct FindTies {
  static constexpr const char* name = "rigid find ties";
  RigidView bodies;
  PartRows rows;
  View<const Vec3> position;  ///< [m] of the store
  View<const float> mass;     ///< [kg] likewise
  View<int> tied;             ///< written
  View<Vec3d> arm;            ///< [m], written where tied
  MERGANSER_METHOD void operator()(int i) const {
    const int b = bodies.body_of[i], group = rows.group(i);
    tied[i] = group >= 0 && bodies.joint[b] != RigidJoint::held ? 1 : 0;
    if (!tied[i]) return;
    Vec3d sum{0, 0, 0};
    double whole = 0;
    for (int k = rows.groups.first[group]; k < rows.groups.first[group + 1]; ++k) {
      const int member = rows.groups.member[k];
      sum += double(mass[member]) * (to_double(position[member]) - bodies.place[b]);
      whole += mass[member];
    }
    arm[i] = sum / whole;
  }
};

/// k_b and M_c.
struct CountTies : OverBodies {
  static constexpr const char* name = "rigid ties";
  struct Value {
    MassMoments moments;
    double count = 0;
  };
  View<const float> mass;  ///< [kg] of the particles
  MERGANSER_METHOD void add(Value& sum, int b, int i) const {
    if (!tie.tied[i]) return;
    sum.moments.add(mass[i], bodies.arm(b, i));
    sum.count += 1;
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.moments + b.moments, a.count + b.count};
  }
  MERGANSER_METHOD void finish(int b, const Value& sum) const {
    tie.members[b] = sum.moments;
    tie.stiffness[b] = sum.count > 0 ? tie.strength * bodies.mass[b] / sum.count : 0.0;
  }
};

/// A^-1 and C^-1.
struct TieMatrices : OverBodies {
  static constexpr const char* name = "rigid tie matrices";
  struct Value {
    MassMoments ties, inner;
  };
  WallView walls;
  View<const WallTouch> touch;
  MERGANSER_METHOD void add(Value& sum, int b, int i) const {
    if (!tie.tied[i]) return;
    const double k = tie.stiffness[b], h = effective_mass[i];
    const Vec3d arm = tie.arm[i];
    sum.ties.add(k, arm);
    sum.inner.add(h > 0 ? k * h / (h + k) : k, arm);
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.ties + b.ties, a.inner + b.inner};
  }
  MERGANSER_METHOD void finish(int b, const Value& sum) const {
    if (!(tie.stiffness[b] > 0)) return;
    TwistMatrix free;
    free.add(bodies.moments(b));
    free.add(-1.0 * tie.members[b]);
    add_wall_terms(bodies, walls.count, touch, tie.strength, b, free);
    TwistMatrix ties = free, inner = free;
    ties.add(sum.ties);
    inner.add(sum.inner);
    tie.ties[b] = bodies.inverse(b, ties);
    tie.inner[b] = bodies.inverse(b, inner);
  }
};

/// A^-1 (k_b sum J^T d - D) and the right side b_i = h dt g + k_b (d_i - J_i of it).
struct TieRightSide : SumTwists {
  static constexpr const char* name = "rigid right side";
  PartRows rows;
  View<const Twist> velocity;  ///< q*
  Vec3d free_change;           ///< [m/s] dt g
  View<Vec3> right_side;       ///< [N s], written
  MERGANSER_METHOD Vec3d gap(int b, int i, const Vec3d& arm) const {
    return velocity[b].at(arm) - to_double(rows.start[i]);
  }
  MERGANSER_METHOD void add(Twist& sum, int b, int i) const {
    if (!tie.tied[i]) return;
    const Vec3d arm = tie.arm[i];
    sum += impulse_at(arm, gap(b, i, arm));
  }
  MERGANSER_METHOD Twist share(int b, const Twist& sum) const {
    if (!(tie.stiffness[b] > 0)) return {};
    return tie.ties[b] * (tie.stiffness[b] * sum - tie.carried[b]);
  }
  MERGANSER_METHOD void finish(int b, const Twist& sum) const { tie.drive[b] = share(b, sum); }
  MERGANSER_METHOD void spread(int b, int i, const Twist& drive) const {
    right_side[i] = {0, 0, 0};
    if (!moves(i)) return;
    const Vec3d arm = tie.arm[i];
    right_side[i] =
        to_float(double(rows.mass[i]) * free_change + tie.stiffness[b] * (gap(b, i, arm) - drive.at(arm)));
  }
};

/// y of the comment at the top.
struct TieProduct : SumTwists {
  static constexpr const char* name = "rigid product";
  View<const Vec3> u;
  View<Vec3> y;
  MERGANSER_METHOD void add(Twist& sum, int, int i) const {
    if (moves(i)) sum += impulse_at(tie.arm[i], to_double(u[i]));
  }
  MERGANSER_METHOD Twist share(int b, const Twist& sum) const {
    return tie.stiffness[b] > 0 ? tie.ties[b] * (tie.stiffness[b] * sum) : Twist{};
  }
  MERGANSER_METHOD void spread(int b, int i, const Twist& with) const {
    y[i] = {0, 0, 0};
    if (!moves(i)) return;
    const Vec3d own = to_double(u[i]);
    y[i] = to_float(double(effective_mass[i]) * own + tie.stiffness[b] * (own - with.at(tie.arm[i])));
  }
};

/// z of the comment at the top.
struct TieInverse : SumTwists {
  static constexpr const char* name = "rigid preconditioner";
  View<const Vec3> r;
  View<Vec3> z;
  MERGANSER_METHOD double softened(int b, int i) const {
    return 1 / (double(effective_mass[i]) + tie.stiffness[b]);
  }
  MERGANSER_METHOD void add(Twist& sum, int b, int i) const {
    if (moves(i)) sum += impulse_at(tie.arm[i], tie.stiffness[b] * softened(b, i) * to_double(r[i]));
  }
  MERGANSER_METHOD Twist share(int b, const Twist& sum) const {
    return tie.stiffness[b] > 0 ? tie.inner[b] * sum : Twist{};
  }
  MERGANSER_METHOD void spread(int b, int i, const Twist& with) const {
    z[i] = {0, 0, 0};
    if (!moves(i)) return;
    const Vec3d body = tie.stiffness[b] * with.at(tie.arm[i]);
    z[i] = to_float(softened(b, i) * (to_double(r[i]) + body));
  }
};

MERGANSER_END
