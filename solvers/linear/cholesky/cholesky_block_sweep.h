#pragma once
/// Shared parts of BlockSolver's sweeps: blocks of threads in teams (cholesky_block_plan.h), `group`
/// right sides at once. A thread takes four rows of a column in one load of 16 bytes, and its neighbors the
/// rows and columns that follow in memory, in both sweeps; so the loads of a warp are runs of whole lines.
/// Loads come in batches before their products, for a load takes as long as some hundred products.
#include "device/block_launch.h"
#include "solvers/linear/cholesky/cholesky_block_plan.h"
#include "solvers/linear/cholesky/cholesky_solve_kernels.h"

MERGANSER_BEGIN

constexpr int quad_rows = 4;

/// Four rows of a column of the stored factor, or of a side of a vector.
template <class Number>
struct alignas(quad_rows * sizeof(Number)) FourRows {
  Number row[quad_rows];
};
MERGANSER_FN float to_float(float x) { return x; }

/// Common part of both sweeps. A thread keeps `own` sums a right side. A round's phases: 0 vectors of
/// the chunk to shared memory; 1 products; then the sums go to shared memory and are added up over the
/// threads, in two parts where they do not fit at once.
template <int group, int team, class Number, int own>
struct BlockSweep {
  static constexpr int threads = block_threads;
  static constexpr int parts = own * group > 24 ? 2 : 1, part_sums = own / parts;
  static constexpr int phases = 2 + 2 * parts;
  static constexpr int batch = group > 3 ? 4 : 8;  ///< quads
  static constexpr int sum_numbers = team * part_sums * group;
  static constexpr int chunk_numbers = chunk_of(team) * (group == 3 ? 4 : group);
  static constexpr int team_numbers = sum_numbers > chunk_numbers ? sum_numbers : chunk_numbers;
  struct alignas(16) Shared {
    float number[threads / team][team_numbers];
  };
  struct Thread {
    BlockRound round;
    TeamTask task;
    FrontShape shape;
    int idle;
    float sum[own][group];
  };

  FactorView factor;
  int first_block, width;
  View<const int> first_round;
  View<const BlockRound> round;
  View<const TeamTask> task;

  MERGANSER_METHOD int rounds(int block) const {
    return first_round[first_block + block + 1] - first_round[first_block + block];
  }
  /// Finds the thread's work in this round.
  MERGANSER_METHOD void begin(const BlockPlace& at, Thread& thread) const {
    thread.round = round[first_round[first_block + at.block] + at.round];
    thread.idle = at.thread / team >= thread.round.tasks;
    if (thread.idle) return;
    thread.task = task[thread.round.first_task + at.thread / team];
    thread.shape = factor.shape(thread.task.front);
    if (thread.round.chunk > 0) return;
    for (int s = 0; s < own; ++s)
      for (int k = 0; k < group; ++k) thread.sum[s][k] = 0;
  }
  /// The part of a thread's sums that belongs to a phase, to shared memory: [member][sum][side].
  template <int phase>
  MERGANSER_METHOD static void share_sums(const Thread& thread, int member, float* numbers) {
    constexpr int from = (phase - 2) / 2 * part_sums;
    for (int s = 0; s < part_sums; ++s)
      for (int k = 0; k < group; ++k) numbers[(member * part_sums + s) * group + k] = thread.sum[from + s][k];
  }
  static constexpr bool scaled = std::is_same_v<Number, Half>;
  MERGANSER_METHOD FourRows<Number> quad(std::int64_t number) const {
    if constexpr (scaled)
      return *reinterpret_cast<const FourRows<Half>*>(factor.halves.data + number);
    else
      return *reinterpret_cast<const FourRows<float>*>(factor.stored.data + number);
  }
};

MERGANSER_END
