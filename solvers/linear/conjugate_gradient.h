#pragma once
/// Preconditioned conjugate gradients on vectors of Vec3, matrix-free, for any system with a symmetric
/// positive definite operator.
#include "device/reduce.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// y = A x. A must be symmetric and positive definite on the rows of weight 1; rows of fixed unknowns must
/// come out as zero. Rows that share one unknown carry the same value in x and get the same (summed) value in
/// y.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  virtual void apply(View<const Vec3> x, View<Vec3> y) = 0;
};

/// z = approximately A^-1 r, symmetric positive definite; zero on fixed rows, equal on rows that share an
/// unknown.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual void apply(View<const Vec3> r, View<Vec3> z) = 0;
};

struct LinearSolveResult {
  int iterations = 0;
  double residual = 0;        ///< |r| / reference norm when the solve ended
  bool tolerance_met = true;  ///< false: max_iterations came first
};

struct LinearSolveLimits {
  double tolerance;  ///< stop at |r| <= tolerance * reference
  int max_iterations;
  double reference;  ///< the norm that the tolerance refers to, usually |b|
};

class ConjugateGradient {
 public:
  /// Root of sum_i weight_i |a_i|^2 (blocking).
  double weighted_norm(View<const float> weight, View<const Vec3> a);
  /// Solves A x = b from the values in x (Hestenes & Stiefel 1952; Saad, Iterative Methods, alg. 9.1).
  /// `weight` is 1 for a row that counts in dot products and 0 for a fixed row or a further row of a shared
  /// unknown. Fixed rows keep their x; their values act on the others through A. Vectors are float, dot
  /// products double in a fixed order. The residual is read back after every iteration on the CPU and after
  /// every eighth on the GPU.
  LinearSolveResult solve(LinearOperator& a, Preconditioner& preconditioner, View<const float> weight,
                          View<const Vec3> b, View<Vec3> x, const LinearSolveLimits& limits);

 private:
  struct Dots {
    double rz, rr;
  };
  friend struct ResidualDots;
  friend struct CgUpdateDirection;
  friend struct CgUpdateSolution;

  Array<Vec3> residual_, direction_, image_, preconditioned_;
  Reduction<double> direction_energy_, norm_squared_;
  Reduction<Dots> dots_[2];  ///< of this and the last iteration, in turns
};

MERGANSER_END
