#pragma once
/// Results of a solve with groups (rigid_contacts.h): what groups give to bodies, how rows end, and
/// what bodies take up of their members after the split.
#include "solvers/core/discarded_work.h"
#include "solvers/methods/rigid/rigid_contacts.h"

MERGANSER_BEGIN

/// dq of the solution, and M_c dq + D, what the particles in groups get of it beside their weight.
struct SolvedChange : SumTwists {
  static constexpr const char* name = "rigid solved change";
  View<const Vec3> u;
  View<Twist> change;  ///< dq, written
  View<Twist> given;   ///< M_c dq + D, written
  MERGANSER_METHOD void add(Twist& sum, int, int i) const {
    if (moves(i)) sum += impulse_at(tie.arm[i], to_double(u[i]));
  }
  MERGANSER_METHOD void finish(int b, const Twist& sum) const {
    Twist dq;
    if (tie.stiffness[b] > 0) dq = tie.ties[b] * (tie.stiffness[b] * sum) - tie.drive[b];
    change[b] = dq;
    TwistMatrix members;
    members.add(tie.members[b]);
    given[b] = members * dq + tie.carried[b];
  }
};

/// sum J^T p of the impulses p that groups give to a body: those of the ties, and what the solve left undone
/// at their rows, so that nothing is lost of momentum and angular momentum.
struct GivenByGroups : SumTwists {
  static constexpr const char* name = "rigid given by groups";
  PartRows rows;
  ResidualShares shares;
  View<const Vec3> u;
  View<const Twist> velocity, change;  ///< q*, dq
  View<Vec3> impulse;                  ///< [N s] p, written
  View<Twist> given;                   ///< updated
  MERGANSER_METHOD void add(Twist& sum, int b, int i) const {
    impulse[i] = {0, 0, 0};
    if (!tie.tied[i]) return;
    const Vec3d arm = tie.arm[i];
    const bool moves = effective_mass[i] > 0;
    Vec3d p = to_double(rows.start[i]) - (velocity[b] + change[b]).at(arm);
    if (moves) p += to_double(u[i]);
    p *= tie.stiffness[b];
    if (moves) p += shares.missing(i);
    impulse[i] = to_float(p);
    sum += impulse_at(arm, p);
  }
  MERGANSER_METHOD void finish(int b, const Twist& sum) const { given[b] += sum; }
};

/// Rows as they end: those in groups by the solution, others with the body.
struct RigidRows {
  static constexpr const char* name = "rigid rows";
  RigidView bodies;
  PartRows rows;
  View<const Twist> velocity;  ///< q'
  View<const Vec3> u;
  View<Vec3> balanced;  ///< [m/s] change of velocity, written
  MERGANSER_METHOD void operator()(int i) const {
    const int b = bodies.body_of[i];
    if (bodies.joint[b] == RigidJoint::held)
      balanced[i] = {0, 0, 0};
    else if (rows.group(i) >= 0)
      balanced[i] = rows.effective_mass[i] > 0 ? u[i] : Vec3{0, 0, 0};
    else
      balanced[i] = to_float(velocity[b].at(bodies.arm(b, i)) - to_double(rows.start[i]));
  }
};

/// What groups changed of a body's particles beside `given`: see MemberMomenta.
struct CollectMembers {
  static constexpr const char* name = "rigid members";
  using Value = MemberMomenta;
  RigidView bodies;
  View<const int> tied;
  View<const float> mass;
  View<const Twist> twist;                  ///< q'
  View<const Vec3> end_velocity, velocity;  ///< [m/s] that they advanced with, and that they have now
  View<MemberMomenta> members;              ///< written
  MERGANSER_METHOD int begin(int b) const { return bodies.first[b]; }
  MERGANSER_METHOD int end(int b) const { return bodies.first[b + 1]; }
  MERGANSER_METHOD void add(Value& sum, int b, int i) const {
    if (!tied[i]) return;
    const Vec3d arm = bodies.arm(b, i), own = twist[b].at(arm);
    const double m = mass[i];
    sum.advanced += impulse_at(arm, m * (to_double(end_velocity[i]) - own));
    sum.split += impulse_at(arm, m * (to_double(velocity[i]) - own));
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) {
    return {a.advanced + b.advanced, a.split + b.split};
  }
  MERGANSER_METHOD void finish(int b, const Value& sum) const { members[b] = sum; }
};

/// The ties take p.(v' - J q') from the motion. Where something immobile holds the group it gives p to the
/// body, and p.J q': of several ties whose v' no motion of a body has (about a plate that turns), great p
/// stand against each other, and what they would take of v' is nobody's work. What holds a particle of the
/// group gets -p of the body (held_impulses.h). One index a particle.
struct TieExchange {
  static constexpr const char* name = "rigid tie exchange";
  RigidView bodies;
  HeldParticles held;
  int first_particle;
  View<const int> tied;
  View<const Vec3d> arm;
  View<const Vec3> impulse, end_velocity;  ///< [N s] p, [m/s] v'
  View<const Twist> velocity;              ///< q'
  MERGANSER_METHOD StepExchange operator()(int i) const {
    StepExchange exchange;
    if (!tied[i]) return exchange;
    const Vec3d body = velocity[bodies.body_of[i]].at(arm[i]), p = to_double(impulse[i]);
    if (held.holds(first_particle + i))
      exchange.give(p, body);
    else
      exchange.integration = dot(p, to_double(end_velocity[i]) - body);
    return exchange;
  }
};

/// -p of the particles of groups that something immobile holds. One index a particle.
struct HeldTies {
  static constexpr const char* name = "rigid held ties";
  HeldParticles held;
  int first_particle;
  View<const int> tied;
  View<const Vec3> tie_impulse;  ///< [N s] p
  View<Vec3> impulse;            ///< [N s], written
  MERGANSER_METHOD void operator()(int i) const {
    impulse[i] = tied[i] && held.holds(first_particle + i) ? -tie_impulse[i] : Vec3{0, 0, 0};
  }
};

MERGANSER_END
