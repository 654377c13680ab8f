#include "solvers/linear/conjugate_gradient.h"

#include <cmath>

MERGANSER_BEGIN

/// r := b - A x, given A x. What it holds on fixed rows is of no account: their weight and preconditioned
/// value are zero.
struct CgResidual {
  static constexpr const char* name = "cg residual";
  View<const Vec3> b, image;
  View<Vec3> residual;
  MERGANSER_METHOD void operator()(int i) const { residual[i] = b[i] - image[i]; }
};

/// sum_i weight_i a_i . b_i
struct WeightedDot {
  static constexpr const char* name = "cg dot product";
  using Value = double;
  View<const float> weight;
  View<const Vec3> a, b;
  MERGANSER_METHOD double operator()(int i) const {
    return double(weight[i]) * dot(to_double(a[i]), to_double(b[i]));
  }
  MERGANSER_METHOD static double identity() { return 0; }
  MERGANSER_METHOD static double combine(const double& a, const double& b) { return a + b; }
};

/// r . z and r . r in one pass.
struct ResidualDots {
  static constexpr const char* name = "cg residual dots";
  using Value = ConjugateGradient::Dots;
  View<const float> weight;
  View<const Vec3> r, z;
  MERGANSER_METHOD Value operator()(int i) const {
    const Vec3d ri = to_double(r[i]);
    return {double(weight[i]) * dot(ri, to_double(z[i])), double(weight[i]) * dot(ri, ri)};
  }
  MERGANSER_METHOD static Value identity() { return {0, 0}; }
  MERGANSER_METHOD static Value combine(const Value& a, const Value& b) { return {a.rz + b.rz, a.rr + b.rr}; }
};

/// x += alpha p, r -= alpha A p, with alpha = r.z / p.Ap.
struct CgUpdateSolution {
  static constexpr const char* name = "cg solution and residual";
  View<const ConjugateGradient::Dots> dots;
  View<const double> direction_energy;
  View<const Vec3> direction, image;
  View<Vec3> x, residual;
  MERGANSER_METHOD void operator()(int i) const {
    const double energy = direction_energy[0];
    const float alpha = energy > 0 ? float(dots[0].rz / energy) : 0.0f;
    x[i] += alpha * direction[i];
    residual[i] -= alpha * image[i];
  }
};

/// p := z + beta p, with beta = (r.z) / (r.z of the last iteration).
struct CgUpdateDirection {
  static constexpr const char* name = "cg direction";
  View<const ConjugateGradient::Dots> dots, last_dots;
  View<const Vec3> preconditioned;
  View<Vec3> direction;
  MERGANSER_METHOD void operator()(int i) const {
    const double last = last_dots[0].rz;
    const float beta = last > 0 ? float(dots[0].rz / last) : 0.0f;
    direction[i] = preconditioned[i] + beta * direction[i];
  }
};

double ConjugateGradient::weighted_norm(View<const float> weight, View<const Vec3> a) {
  norm_squared_.run(a.count, WeightedDot{weight, a, a});
  return std::sqrt(norm_squared_.read());
}

LinearSolveResult ConjugateGradient::solve(LinearOperator& a, Preconditioner& preconditioner,
                                           View<const float> weight, View<const Vec3> b, View<Vec3> x,
                                           const LinearSolveLimits& limits) {
  constexpr int check_interval = MERGANSER_IS_GPU ? 8 : 1;
  const int count = x.count;
  for (Array<Vec3>* vector : {&residual_, &direction_, &image_, &preconditioned_}) vector->resize(count);
  const View<Vec3> r = residual_.view(), p = direction_.view(), q = image_.view(), z = preconditioned_.view();

  a.apply(x, q);
  launch(count, CgResidual{.b = b, .image = q, .residual = r});
  preconditioner.apply(r, z);
  direction_.assign(View<const Vec3>(z));
  dots_[0].run(count, ResidualDots{.weight = weight, .r = r, .z = z});

  const double target = limits.tolerance * limits.reference;
  LinearSolveResult result;
  double norm_of_residual = std::sqrt(dots_[0].read().rr);
  while (norm_of_residual > target && result.iterations < limits.max_iterations) {
    const Reduction<Dots>& last = dots_[result.iterations % 2];
    Reduction<Dots>& now = dots_[(result.iterations + 1) % 2];
    a.apply(p, q);
    direction_energy_.run(count, WeightedDot{.weight = weight, .a = p, .b = q});
    launch(count, CgUpdateSolution{.dots = last.result(),
                                   .direction_energy = direction_energy_.result(),
                                   .direction = p,
                                   .image = q,
                                   .x = x,
                                   .residual = r});
    preconditioner.apply(r, z);
    now.run(count, ResidualDots{.weight = weight, .r = r, .z = z});
    launch(count, CgUpdateDirection{
                      .dots = now.result(), .last_dots = last.result(), .preconditioned = z, .direction = p});
    ++result.iterations;
    if (result.iterations % check_interval == 0 || result.iterations == limits.max_iterations)
      norm_of_residual = std::sqrt(now.read().rr);
  }
  result.residual = limits.reference > 0 ? norm_of_residual / limits.reference : norm_of_residual;
  // A NaN residual ends the loop as well and is not a solution.
  result.tolerance_met = norm_of_residual <= target;
  return result;
}

MERGANSER_END
