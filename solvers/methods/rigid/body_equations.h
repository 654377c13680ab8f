#pragma once
/// Rigid bodies in groups where no other implicit system shares the solve. Eliminated are the velocities of
/// the groups in place of those of the bodies (rigid_contacts.h), which leaves six unknowns a body however
/// many groups hold it. A group of mass h and free change dt g, to which explicit systems (fluids) give the
/// impulse f, has a tie i for each of its bodies. With a_i = J_i q - start, stiffnesses k_i
/// and multipliers l_i,
///   u = (h dt g + f + sum_i (k_i a_i - l_i)) / (h + sum_i k_i),   p_i = k_i (u - a_i) + l_i,
/// u = 0 where something immobile holds the group. Without f the fluid in a group would be pressed past its
/// body: synchronization adds f to the group alone ([MS] eq. 17), so u - f/h is what is returned. The change
/// dq of what a body does without groups follows from the impulses:
///   (M - M_c) dq = sum_i J_i^T p_i(q* + dq) + D + what walls give more or less than without groups.
/// Moved to one side this is S dq = b, S symmetric positive definite. Solved once with l = 0, ties yield by
/// their load over k. So the solve is repeated with l_i = p_i, the method of multipliers (Hestenes 1969;
/// Powell 1969): each pass divides what is left of u - a_i by about 1 + k_i/m. That is cheaper than a k so
/// large that bodies in a heap do not creep, for the iterations of a solve grow with the root of k.
#include "solvers/linear/krylov/solve_state.h"
#include "solvers/methods/rigid/pressing_walls.h"
#include "solvers/methods/rigid/rigid_contacts.h"

MERGANSER_BEGIN

/// Stiffness of a tie relative to the heavier of its bodies: where S is factored, and where conjugate
/// gradients solve.
inline constexpr double factored_tie_strength = 1e4, lone_tie_strength = 50;
inline constexpr int multiplier_passes = 3;

/// Ties body by body.
struct TieList {
  View<const int> before;        ///< per particle, one more at the end: ties before it
  View<const int> particle;      ///< per tie
  View<const int> next;          ///< per tie: the next one of the group, behind the last the first
  View<const double> whole;      ///< [kg] per tie: h + sum k of its group
  View<const double> mass;       ///< [kg] per tie: h of its group, 0 = something immobile holds it
  View<const double> stiffness;  ///< [kg] per tie: k, the same for both of a group
  View<const Vec3d> multiplier;  ///< [N s] per tie: l
  View<const Vec3d> pushed;      ///< [N s] per tie: f, what explicit systems give its group
};

/// One index a particle.
struct ListTies {
  static constexpr const char* name = "rigid list ties";
  RigidView bodies;
  PartRows rows;
  View<const int> tied, before;
  View<const double> softness;    ///< [kg] per body: stiffness of its ties by its own mass
  View<const Vec3> impulse;       ///< [N s] per particle: p of an earlier stage, or 0
  View<const float> store_mass;   ///< [kg] of the store's particles
  View<const Vec3> end_velocity;  ///< [m/s] likewise: what explicit systems returned
  Vec3d free_change;              ///< [m/s] dt g
  View<int> particle, next;       ///< these and the following: see TieList; written
  View<double> whole, mass, stiffness;
  View<Vec3d> multiplier, pushed;
  MERGANSER_METHOD void operator()(int i) const {
    if (!tied[i]) return;
    const int t = before[i], group = rows.group(i);
    double h = 0, k = 0;
    int ties = 0, first = i, after = i;
    Vec3d push{0, 0, 0};
    const Vec3d free = to_double(rows.start[i]) + free_change;
    for (int m = rows.groups.first[group]; m < rows.groups.first[group + 1]; ++m) {
      const int member = rows.groups.member[m];
      if (!rows.particles.contains(member)) {
        push += double(store_mass[member]) * (to_double(end_velocity[member]) - free);
        continue;
      }
      const int j = member - rows.particles.first;
      h += rows.effective_mass[j];
      if (!tied[j]) continue;
      if (ties++ == 0) first = j;
      if (j > i && after == i) after = j;
      k = fmax(k, softness[bodies.body_of[j]]);
    }
    particle[t] = i;
    next[t] = before[after > i ? after : first];
    mass[t] = h;
    whole[t] = h + ties * k;
    stiffness[t] = k;
    multiplier[t] = to_double(impulse[i]);
    pushed[t] = push;
  }
};

/// Rows: bodies. Entries: their ties.
struct OverTies {
  RigidView bodies;
  TieView tie;
  TieList list;
  MERGANSER_METHOD int begin(int b) const { return list.before[bodies.first[b]]; }
  MERGANSER_METHOD int end(int b) const { return list.before[bodies.first[b + 1]]; }
  MERGANSER_METHOD int body(int t) const { return bodies.body_of[list.particle[t]]; }
  MERGANSER_METHOD const Vec3d& arm(int t) const { return tie.arm[list.particle[t]]; }
  /// sum_i f(i) over the ties i of t's group, ascending, so that all of them find the same bits.
  template <class Function>
  MERGANSER_METHOD Vec3d sum_of_group(int t, const Function& f) const {
    int last = t;
    while (list.next[last] > last) last = list.next[last];
    int i = list.next[last];
    Vec3d sum = f(i);
    while (i != last) sum += f(i = list.next[i]);
    return sum;
  }
};
struct SumOverTies : OverTies {
  using Value = Twist;
  MERGANSER_METHOD static Twist identity() { return {}; }
  MERGANSER_METHOD static Twist combine(const Twist& a, const Twist& b) { return a + b; }
};

/// M - M_c and the terms of walls (pressing_walls.h), and the inverses of the bodies' blocks of S with them.
struct BodyBlocks : OverTies {
  static constexpr const char* name = "rigid body blocks";
  using Value = MassMoments;
  int touches;  ///< of a body, at most
  View<const WallTouch> touch;
  View<TwistMatrix> own, inverse;  ///< written
  MERGANSER_METHOD void add(Value& sum, int, int t) const {
    const double k = list.stiffness[t];
    sum.add(list.mass[t] > 0 ? k * (1 - k / list.whole[t]) : k, arm(t));
  }
  MERGANSER_METHOD static Value identity() { return {}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return a + b; }
  MERGANSER_METHOD void finish(int b, const Value& sum) const {
    own[b] = inverse[b] = {};
    if (!(tie.stiffness[b] > 0)) return;
    TwistMatrix matrix;
    matrix.add(bodies.moments(b));
    matrix.add(-1.0 * tie.members[b]);
    add_pressing_terms(touches, touch, b, matrix);
    own[b] = matrix;
    matrix.add(sum);
    inverse[b] = bodies.inverse(b, matrix);
  }
};

/// y = S x.
struct BodyProduct : SumOverTies {
  static constexpr const char* name = "rigid body product";
  SolveProgress progress;
  View<const TwistMatrix> own;
  View<const Twist> x;
  View<Twist> y;  ///< written
  MERGANSER_METHOD Vec3d moved(int t) const { return x[body(t)].at(arm(t)); }
  MERGANSER_METHOD void add(Twist& sum, int, int t) const {
    if (progress.stopped()) return;
    const Vec3d a = moved(t);
    Vec3d shared{0, 0, 0};
    if (list.mass[t] > 0) {
      shared = sum_of_group(t, [&](int i) { return moved(i); });
      shared *= list.stiffness[t] / list.whole[t];
    }
    sum += impulse_at(arm(t), list.stiffness[t] * (a - shared));
  }
  MERGANSER_METHOD void finish(int b, const Twist& sum) const { y[b] = own[b] * x[b] + sum; }
};

/// What the groups do where bodies move with q* + dq.
struct GroupResponse : SumOverTies {
  PartRows rows;
  Vec3d free_change;           ///< [m/s] dt g
  View<const Twist> velocity;  ///< q*
  View<const Twist> change;    ///< dq
  /// a_t.
  MERGANSER_METHOD Vec3d ahead(int t) const {
    const int b = body(t);
    return (velocity[b] + change[b]).at(arm(t)) - to_double(rows.start[list.particle[t]]);
  }
  /// k a - l.
  MERGANSER_METHOD Vec3d drawn(int t) const { return list.stiffness[t] * ahead(t) - list.multiplier[t]; }
  MERGANSER_METHOD Vec3d shared_change(int t) const {
    const double h = list.mass[t];
    if (!(h > 0)) return {0, 0, 0};
    const Vec3d all = sum_of_group(t, [&](int i) { return drawn(i); });
    return (h * free_change + list.pushed[t] + all) / list.whole[t];
  }
  MERGANSER_METHOD Vec3d impulse_by(int t, const Vec3d& shared) const {
    return list.stiffness[t] * shared - drawn(t);
  }
};

/// r = b - S dq.
struct BodyResidual : GroupResponse {
  static constexpr const char* name = "rigid body residual";
  View<const TwistMatrix> own;
  View<const Twist> pressed;  ///< [N s] by walls, see PressingView
  View<Twist> residual;       ///< written
  MERGANSER_METHOD void add(Twist& sum, int, int t) const {
    sum += impulse_at(arm(t), impulse_by(t, shared_change(t)));
  }
  MERGANSER_METHOD void finish(int b, const Twist& sum) const {
    residual[b] = sum + tie.carried[b] + pressed[b] - own[b] * change[b];
  }
};

/// Velocities and impulses of the groups, and what these give to bodies: sum J^T p and M_c dq + D, their
/// particles' part of the change.
struct GivenByLoneGroups : GroupResponse {
  static constexpr const char* name = "rigid given by lone groups";
  View<Vec3d> multiplier;  ///< [N s] p per tie, written
  View<Vec3> u, impulse;   ///< [m/s] u - f/h and [N s] p per tied particle, written
  View<Twist> given;       ///< written
  MERGANSER_METHOD void add(Twist& sum, int, int t) const {
    const int i = list.particle[t];
    const Vec3d shared = shared_change(t), p = impulse_by(t, shared);
    multiplier[t] = p;
    const double h = list.mass[t];
    u[i] = to_float(h > 0 ? shared - list.pushed[t] / h : shared);
    impulse[i] = to_float(p);
    sum += impulse_at(arm(t), p);
  }
  MERGANSER_METHOD void finish(int b, const Twist& sum) const {
    TwistMatrix members;
    members.add(tie.members[b]);
    given[b] = sum + members * change[b] + tie.carried[b];
  }
};

MERGANSER_END
