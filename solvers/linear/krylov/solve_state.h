#pragma once
/// Shared state of iterative solves and the operators they are given: rows, limits, and the state of
/// a solve that goes on without the host.
#include <cmath>

#include "device/array.h"
#include "device/vector_math.h"

MERGANSER_BEGIN

/// Rows up to a distance along the matrix's connections from where a solve starts; without distances, all
/// rows.
struct ActiveRows {
  View<const int> distance;  ///< per row, far_away where not yet known; empty: every row is within reach
  int limit = 0;
  static constexpr int far_away = 0x7fffffff;
  MERGANSER_METHOD bool contains(int i) const { return distance.empty() || distance[i] <= limit; }
};

/// The rows of a solve. Several rows may stand for one unknown (members of a meta-particle, P^T A P):
/// they hold its value each, representative[i] is the same one of them for all, and only that one counts in
/// dot products. A fixed row has -1.
struct SolveRows {
  View<const int> representative;  ///< per row; empty: every row is an unknown of its own
  int count = 0;                   ///< of rows
  /// Where distances are given, the right side is zero beyond the limit, and so is the k-th direction beyond
  /// limit + k: only rows within reach are computed, with the same result.
  ActiveRows reach;
  MERGANSER_METHOD bool counts(int i) const { return representative.empty() || representative[i] == i; }
};

struct LinearSolveResult {
  int iterations = 0;
  double residual = 0;        ///< |r| over the reference norm when the solve ended
  double start = 0;           ///< and when it began
  bool tolerance_met = true;  ///< false: max_iterations came first, or the matrix is not positive definite
};

struct LinearSolveLimits {
  double tolerance;    ///< stop at |r| <= tolerance * reference
  int max_iterations;  ///< and never later
  double reference;    ///< the norm that the tolerance refers to, usually |b|; < 0: of refer_to()
  double least = 0;    ///< of the norm, where it is |b|; of solves on grids
  int expected = 8;    ///< iterations after which a host that waits for a GPU looks first
};

/// State of the iterations of a solve, on the device. Norms are squared.
struct SolveState {
  double reference;    ///< that the tolerance refers to
  double goal;         ///< of r.r
  double rz, rr;       ///< r.z and r.r
  double start_rr;     ///< r.r that the solve began with
  float alpha, beta;   ///< of the next step along p and of the next turn of it
  int iterations;      ///< done
  int max_iterations;  ///< never more
  int active;          ///< 1: the next iteration changes something

  /// Of the residual that a solve starts from.
  MERGANSER_METHOD void start(const LinearSolveLimits& limits, double begin_rz, double begin_rr) {
    const double norm = limits.reference >= 0 ? limits.reference : std::sqrt(reference);
    reference = limits.reference >= 0 ? norm * norm : reference;
    goal = limits.tolerance * limits.tolerance * norm * norm;
    rz = begin_rz;
    rr = this->start_rr = begin_rr;
    alpha = beta = 0;
    iterations = 0;
    max_iterations = limits.max_iterations;
    active = !(rr <= goal) && max_iterations > 0;
  }
  /// With curvature p.Ap; where that is not positive the solve ends.
  MERGANSER_METHOD void find_step(double curvature) {
    if (!active) return;
    active = curvature > 0;
    if (active) alpha = static_cast<float>(rz / curvature);
  }
  MERGANSER_METHOD void stepped(double next_rr) {
    if (!active) return;
    rr = next_rr;
    ++iterations;
    active = !(rr <= goal) && iterations < max_iterations;
  }
};

/// Lets an operator's own kernels see whether the solve has ended; without a state it goes on.
struct SolveProgress {
  View<const SolveState> now;
  MERGANSER_METHOD bool stopped() const { return !now.empty() && !now[0].active; }
};

/// A number of the step that an operator's kernels read: by value or, where a launch graph has to find the
/// next step's number, too, from the device. On the CPU always a value.
struct StepNumber {
  StepNumber(float number) : value(number) {}
#if MERGANSER_GPU_HALF
  StepNumber(const Array<float>& numbers, int index) : kept(numbers.data() + index) {}
  MERGANSER_METHOD operator float() const { return kept ? *kept : value; }
  const float* kept = nullptr;
  float value = 0;
  float unused = 0;  ///< no padding: launch graphs are compared byte by byte
#else
  StepNumber(const Array<float>& numbers, int index) : value(numbers.data()[index]) {}
  operator float() const { return value; }
  float value;
#endif
};
/// Keeps numbers of the step on the device.
struct KeepNumbers {
  static constexpr const char* name = "keep numbers of step";
  float number[3];
  View<float> kept;
  MERGANSER_METHOD void operator()(int i) const { kept[i] = number[i]; }
};

MERGANSER_END
