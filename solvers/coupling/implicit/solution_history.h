#pragma once
/// A guess for a linear system that changes little from step to step: of all combinations of the last
/// solutions the one with the least error in the energy norm (Fischer 1998, Projection techniques for
/// iterative solution of Ax = b with successive right-hand sides). The differences of the solutions span the
/// same and stay independent in float.
///
/// What A made of each of them in its own step is at hand, the right side less the residual. Of a matrix that
/// only turns with the rotations that is nearly what it makes of them now: enough for the coefficients, so
/// that only the guess itself has to be multiplied. Of a step of another length its stiffness, which goes
/// with the square of the length, is scaled. What walls add to A (implicit_walls.h) is another matter in
/// every step: it is taken off what is kept, and the present one's has to be added to what is known.
#include <string>

#include "device/reduce.h"
#include "device/vector_math.h"
#include "solvers/base/state_archive.h"
#include "solvers/linear/krylov/conjugate_gradient.h"

MERGANSER_BEGIN

/// How a step's solve ended, (A + W) change = right_side - residual.
struct SolvedStep {
  View<const Vec3> right_side, residual, change;
  View<const SymmetricMatrix3> walls;  ///< W, or empty: none
  View<const float> effective_mass;    ///< [kg] h
  double dt;                           ///< [s] length of the step
};

class SolutionHistory {
 public:
  static constexpr int depth = 3;  ///< solutions remembered

  /// How many there are.
  int size() const { return size_; }
  /// d_k = solution, its first and second difference to the ones before: directions of the guess, to be made
  /// fit for the present unknowns by the caller; fills the first size() ones.
  void directions();
  View<Vec3> direction(int k) { return direction_[k].view(); }
  View<Vec3> product(int k) { return product_[k].view(); }
  /// True: each solution has its product.
  bool knows_products() const;
  /// product(k) = what A made of direction(k) in the solutions' steps, and would have made in steps as long
  /// as dt [s], with A = h + dt^2 K. After directions(), before these are changed.
  void known_products(double dt, View<const float> effective_mass);
  /// With product(k) = A direction(k): x = sum c_k d_k with (d^T A d) c = d^T b, and residual = b - A x.
  void combine(const SolveRows& rows, View<const Vec3> b, View<Vec3> x, View<Vec3> residual);
  /// What combine() depends on but for its arguments.
  void add_to_key(LaunchKey& key) const;
  /// Remembers a step's solution; `again`: in place of the last one.
  void remember(View<const Vec3> solution, bool again);
  /// The same with what A made of it.
  void remember(View<const Vec3> solution, bool again, const SolvedStep& step);

  void save(StateArchive& archive, const std::string& prefix) const;
  void load(const StateArchive& archive, const std::string& prefix);

 private:
  /// d_k.A d_l for k <= l, then d_k.b.
  struct Products {
    double entry[depth * (depth + 1) / 2 + depth];
  };
  friend struct SumHistoryProducts;
  void make_room(int rows, bool again);
  int size_ = 0;
  Array<Vec3> solution_[depth];  ///< the last one first
  Array<Vec3> known_[depth];     ///< their products
  double known_dt_[depth] = {};  ///< [s] the steps' lengths; 0: no product
  Array<Vec3> direction_[depth], product_[depth];
  Reduction<Products> products_;
  Array<float> coefficient_;
};

MERGANSER_END
