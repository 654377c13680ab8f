#pragma once
/// Contact response of walls after particles have advanced.
#include "device/launch.h"
#include "device/particle_store.h"
#include "device/reduce.h"
#include "solvers/base/state_archive.h"
#include "solvers/core/initial_state.h"
#include "solvers/core/wall_loads.h"
#include "solvers/geometry/walls/wall.h"
#include "solvers/geometry/walls/wall_sides.h"

MERGANSER_BEGIN

/// Puts particles that are nearer to a wall than their radius (fluids: that are behind its surface) back to
/// that distance and changes the velocity relative to the wall, u = u_n n + u_t:
///   u_n' = -e u_n where u_n < 0 (restitution e),   |u_t'| = max(0, |u_t| - mu (1 + e) |u_n|) (Coulomb
///   friction mu).
/// Two sweeps over the walls, so that a particle pushed out of one wall into another ends outside both.
/// Immobile particles are left alone. Launch over range.count indices.
template <class Shapes = WallView>
struct ResolveWallContact {
  static constexpr const char* name = "wall contact";
  Shapes walls;
  Range range;
  View<const float> radius;        ///< [m]
  View<const float> inverse_mass;  ///< [1/kg]
  View<Vec3> position;             ///< [m]
  View<Vec3> velocity;             ///< [m/s]
  bool use_radius;                 ///< false for fluids: their pressure keeps them off walls

  MERGANSER_METHOD void operator()(int k) const { resolve(range.first + k); }
  /// True where particle i is nearer to a wall than it may be.
  MERGANSER_METHOD bool moves(int i) const {
    if (!(inverse_mass[i] > 0)) return false;
    const float reach = use_radius ? radius[i] : 0.0f;
    for (int w = 0; w < walls.count; ++w)
      if (!walls.data[w].is_far(position[i], reach) && walls.data[w].at(position[i]).distance < reach)
        return true;
    return false;
  }
  /// True where particle i was moved.
  MERGANSER_METHOD bool resolve(int i) const {
    if (!(inverse_mass[i] > 0)) return false;
    Vec3 x = position[i], v = velocity[i];
    const bool touched = sweep(i, x, v, [&](const Wall&, const Vec3&, const Vec3& after) { v = after; });
    if (!touched) return false;
    position[i] = x;
    velocity[i] = v;
    return true;
  }
  /// Pushes a particle of index i that is at x with the velocity v out of the walls. Calls touch(wall,
  /// velocity of its surface, v') at each, which has to set v to v'.
  template <class Touch>
  MERGANSER_METHOD bool sweep(int i, Vec3& x, const Vec3& v, const Touch& touch) const {
    const float reach = use_radius ? radius[i] : 0.0f;
    bool touched = false;
    for (int sweep = 0; sweep < 2 && (sweep == 0 || touched); ++sweep)
      for (int w = 0; w < walls.count; ++w) {
        const auto& wall = walls.data[w];
        if (wall.is_far(x, reach)) continue;
        const WallDistance at = wall.at(x);
        if (!(at.distance < reach)) continue;
        const Vec3 of_wall = wall.velocity_at(x, at);
        x += at.normal * (reach - at.distance);
        touch(wall, of_wall, of_wall + reflected(v - of_wall, at.normal, wall));
        touched = true;
      }
    return touched;
  }

  MERGANSER_METHOD static Vec3 reflected(const Vec3& u, const Vec3& n, const Wall& wall) {
    const float normal_speed = dot(u, n);
    if (normal_speed >= 0) return u;
    const Vec3 tangential = u - n * normal_speed;
    const float speed = norm(tangential);
    const float lost = -wall.friction * (1 + wall.restitution) * normal_speed;
    const float kept = speed > lost ? 1 - lost / speed : 0.0f;
    return tangential * kept - n * (wall.restitution * normal_speed);
  }
};

/// What walls gave to particles and took from them.
struct WallExchange {
  Vec3d impulse{0, 0, 0};  ///< [N s] sum m (v' - v)
  double energy = 0;       ///< [J] taken: kinetic and potential energy before less after
  double work = 0;         ///< [J] done by walls that move
  long long moved = 0;     ///< particles
  MERGANSER_METHOD WallExchange& operator+=(const WallExchange& other) {
    impulse += other.impulse;
    energy += other.energy;
    work += other.work;
    moved += other.moved;
    return *this;
  }
};

/// Contact response of all particles of a range and the sum of its exchange.
template <class Shapes>
struct SumWallContact {
  static constexpr const char* name = ResolveWallContact<Shapes>::name;
  using Value = WallExchange;
  ResolveWallContact<Shapes> contact;
  View<const float> mass;  ///< [kg]
  Vec3d gravity;           ///< [m/s^2]
  MERGANSER_METHOD WallExchange operator()(int k) const {
    WallExchange exchange;
    const int i = contact.range.first + k;
    if (!(contact.inverse_mass[i] > 0)) return exchange;
    Vec3 x = contact.position[i], v = contact.velocity[i];
    const Vec3d first_x = to_double(x), first_v = to_double(v);
    const double m = mass[i];
    const bool touched =
        contact.sweep(i, x, v, [&](const Wall& wall, const Vec3& of_wall, const Vec3& after) {
          if (wall.placed) exchange.work += m * dot(to_double(after) - to_double(v), to_double(of_wall));
          v = after;
        });
    if (!touched) return exchange;
    contact.position[i] = x;
    contact.velocity[i] = v;
    const Vec3d change = to_double(v) - first_v, push = to_double(x) - first_x;
    exchange.impulse = m * change;
    exchange.moved = 1;
    exchange.energy = m * (dot(gravity, push) - dot(change, first_v + 0.5 * change));
    return exchange;
  }
  MERGANSER_METHOD static WallExchange identity() { return {}; }
  MERGANSER_METHOD static WallExchange combine(const WallExchange& a, const WallExchange& b) {
    WallExchange sum = a;
    sum += b;
    return sum;
  }
};

/// What SumWallContact is about to give to one wall.
template <class Shapes>
struct ContactLoad {
  static constexpr const char* name = "wall contact loads";
  ResolveWallContact<Shapes> contact;
  View<const float> mass;  ///< [kg]
  MeasuredWall measured;
  MERGANSER_METHOD WallLoad operator()(int k) const {
    WallLoad load;
    const int i = contact.range.first + k;
    if (!(contact.inverse_mass[i] > 0)) return load;
    const double m = mass[i];
    Vec3 x = contact.position[i], v = contact.velocity[i];
    contact.sweep(i, x, v, [&](const Wall& wall, const Vec3& of_wall, const Vec3& after) {
      if (wall.owner == measured.owner)
        load += WallLoad::of(m * (to_double(after) - to_double(v)), to_double(x), measured.centre,
                             to_double(of_wall));
      v = after;
    });
    return load;
  }
};

/// 1 for a particle that ResolveWallContact will move.
template <class Shapes>
struct CountWallContacts {
  static constexpr const char* name = "wall contacts";
  ResolveWallContact<Shapes> contact;
  MERGANSER_METHOD int operator()(int k) const { return contact.moves(contact.range.first + k) ? 1 : 0; }
};

/// Walls, periodic axes and which systems are fluids, for the whole store; called by the host after an
/// advance.
class WallContact {
 public:
  /// Throws InputError where a wall is degenerate.
  explicit WallContact(const InitialState& initial);
  /// False where apply() will not move particles of this system, a solid. Only the CPU looks at them: the GPU
  /// would have to wait for the answer, and says true where there are walls.
  bool may_move_solid(ParticleStore& particles, int system);
  /// Whether the last apply() did, as of the last fetch_results().
  bool moved_solid(int system) const {
    return acts_on_solid(system) && given_[size_t(system)].fetched().moved > 0;
  }
  /// Wraps positions on periodic axes, then resolves contacts of every system's range. `gravity`
  /// [m/s^2].
  void apply(ParticleStore& particles, const Vec3& gravity);
  WallView view() const { return walls_.view(); }
  /// Whether walls move.
  bool move() const { return walls_.move(); }
  /// [m/s] bound of their speed at all times in [from, to].
  double greatest_speed(double from, double to) const;
  /// Walls that move are where they are at the beginning of a step, and have the mean velocity of the step.
  void begin_step(double time, double dt);
  /// They are where they are at its end. Nothing of the step that looks at them later wants them elsewhere:
  /// densities of the next step take the velocity with which walls came to where they are.
  void end_step();
  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);
  /// Of the last apply(), as of the last fetch_results().
  WallExchange exchange() const;
  /// What the last apply() gave to the k-th wall with a name, likewise.
  WallLoad load(int k) const;

 private:
  void wrap(ParticleStore& particles) const;
  template <class Shapes>
  void resolve(const Shapes& walls, ParticleStore& particles, const Vec3d& gravity);
  bool acts_on_solid(int system) const {
    return !given_.empty() && !is_fluid_[size_t(system)] && !meets_walls_[size_t(system)];
  }
  template <class Shapes>
  ResolveWallContact<Shapes> contact_of(const Shapes& walls, ParticleStore& particles, int system) const;
  Walls walls_;
  std::vector<WallParameters> moving_;  ///< of the scene
  Ball particles_;                      ///< around all that are there at the start
  double begin_ = 0, end_ = 0;          ///< [s] of the last step
  Vec3 periodic_origin_, periodic_length_;
  std::vector<char> is_fluid_;                  ///< per system
  std::vector<char> meets_walls_;               ///< per system: by itself, see Method::meets_walls
  std::vector<Reduction<WallExchange>> given_;  ///< per system, empty without walls
  std::vector<WallLoads> loads_;                ///< per system, empty where no wall has a name
  Reduction<int> contacts_;
};

MERGANSER_END
