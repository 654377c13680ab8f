#pragma once
/// Guard on energy that appears: what particles gain and nobody gave.
#include <string>
#include <vector>

#include "device/backend.h"
#include "solvers/core/initial_state.h"

MERGANSER_BEGIN

/// What the guard looks at: a step with a row of statistics.
struct GuardedStep {
  long long step = 0;         ///< its number
  double time = 0, dt = 0;    ///< [s] at its end; of the step
  double elapsed = 0;         ///< [s] since the row before
  double energy = 0;          ///< [J] kinetic, elastic and potential
  double held = 0;            ///< [J] kinetic and elastic
  double work = 0;            ///< [J] given by held particles, loads and moving walls
  double mass = 0;            ///< [kg] of mobile particles
  double speed_of_walls = 0;  ///< [m/s] bound
};

/// Let E be the kinetic, elastic and potential energy less all work since the start. Losses are not added:
/// what a step loses hides nothing of what another gains. Energy appears where E rises, by R above its least
/// value so far. R is compared with
///   S = max(K - R) + received + M (|g| (d + H/50 + way) + 2 v^2 + u^2/2 + e) + 1e-12 (sum of energies),
///   u = r/(100 dt)
/// K: kinetic and elastic energy, the greatest so far that had not appeared [J]
/// received: work and emitted kinetic energy, without sign [J]
/// M: mobile mass [kg]; g: gravity; d: particle spacing; H: height of the scene at its start; r: least radius
/// v, way: speed of the fastest wall or held particle and its way [m]: the ledger lacks some of their work
/// e: energy of the surface of all particles apart, 6 sigma/(rho d), the ledger has none of it [J/kg]
/// u: what tolerances of solvers and rounding may give in the longest step dt [m/s].
/// The last term is rounding of what was summed, which is all that is left where a kill box takes everything.
/// R above S is a warning, above ten times S the end of the run.
class EnergyGuard {
 public:
  static constexpr double explosion = 10;
  static constexpr double rounding = 1e-12;  ///< of sums in double, relative
  explicit EnergyGuard(const InitialState& initial);

  /// Energy [J] before the first step.
  void start(double energy) { state_.least = energy; }
  /// An emitter, the start of a body or a kill box brings (or takes) energy, of it kinetic [J].
  void receive(double energy, double kinetic);
  /// True where R is above S: then blame() is to be called.
  bool observe(const GuardedStep& step);
  /// Kinetic and elastic energy [J] per system. The one that holds most had it appear: R is above all that
  /// the others hold by right.
  void blame(const std::vector<double>& held);

  /// With first step, time, system and count of rows; "" while R has never been above S.
  std::string warning() const;
  /// What to end the run with; "" unless the last R was above ten times S.
  std::string explosion_text() const;

  std::vector<double> save() const;
  /// Throws FileError where the list is not one that save() wrote.
  void load(const std::vector<double>& values);

 private:
  struct State {
    double given = 0;                   ///< [J] all work
    double least = 0;                   ///< [J] E, its least value
    double held = 0, received = 0;      ///< [J]
    double speed = 0, way = 0;          ///< [m/s], [m] of walls
    double longest_step = 0;            ///< [s]
    double rows = 0;                    ///< with R above S
    double step = 0, time = 0;          ///< of the first of them
    double system = -1;                 ///< blamed in the first of them
    double most = 0, most_allowed = 0;  ///< [J] R and S of the row with the greatest R
  };
  template <class AnyState, class Visitor>
  static void visit(AnyState& state, Visitor visitor);

  std::vector<std::string> systems_;
  double gravity_ = 0;         ///< [m/s^2]
  double height_ = 0;          ///< [m] d + H/50
  double radius_ = 1e300;      ///< [m] least
  double surface_energy_ = 0;  ///< [J/kg]
  double driven_speed_ = 0;    ///< [m/s] of held particles, walls' surfaces and wind
  State state_;
  double appeared_ = 0, allowed_ = 0;  ///< [J] R and S of the last row
  int blamed_ = -1;                    ///< system in the last row
};

MERGANSER_END
