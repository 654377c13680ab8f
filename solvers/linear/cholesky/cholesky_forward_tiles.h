#pragma once
/// The forward sweep of BlockSolver.
#include "solvers/linear/cholesky/cholesky_block_sweep.h"

MERGANSER_BEGIN

/// [y ; u] of a tile of 32 rows, or of some of them: P b1, and for rows below what the children's updates
/// add. b1 = b + what the children's updates add to own rows.
template <int group, int team, class Number>
struct ForwardTiles : BlockSweep<group, team, Number, quad_rows> {
  static constexpr const char* name = "cholesky forward tiles";
  using Base = BlockSweep<group, team, Number, quad_rows>;
  using Base::factor, Base::batch, Base::part_sums;
  using typename Base::Shared, typename Base::Thread;
  static constexpr int stride = group == 3 ? 4 : group;  ///< of b1 in shared memory: one load

  SideView<const float> right_side;
  View<float> forward;  ///< y, per position
  View<float> update;   ///< u, in the order of FactorView::gather

  template <int phase>
  MERGANSER_METHOD void run(const BlockPlace& at, Shared& shared, Thread& thread) const {
    if constexpr (phase == 0) this->begin(at, thread);
    if (thread.idle || (phase > 1 && !thread.round.last)) return;
    float* numbers = shared.number[at.thread / team];
    const int member = at.thread % team;
    const FrontTile tile = thread.shape.tile(thread.task.strip);
    const int begin = thread.round.chunk * chunk_of(team);
    const int columns = tile.columns - begin < chunk_of(team) ? tile.columns - begin : chunk_of(team);
    // Threads of a column; columns at once.
    const int rest = tile.height - thread.task.first;
    const int quads = (rest < this->width ? rest : this->width) / quad_rows, at_once = team / quads;
    if constexpr (phase == 0) {
      for (int j = member; j < columns; j += team) load(thread.task.front, begin + j, numbers + j * stride);
    } else if constexpr (phase == 1) {
      if (member < at_once * quads) multiply(thread, tile, begin, columns, {quads, at_once, member}, numbers);
    } else if constexpr (phase % 2 == 0) {
      if (member < at_once * quads) Base::template share_sums<phase>(thread, member, numbers);
    } else {
      constexpr int from = (phase - 2) / 2 * part_sums;
      const int sums = quads * part_sums * group;
      for (int s = member; s < sums; s += team) {
        const int k = s % group, r = s / group % part_sums, q = s / group / part_sums;
        const int row = thread.task.first + q * quad_rows + from + r;
        if (row >= tile.rows) continue;
        float sum = 0;
        for (int c = 0; c < at_once; ++c) sum += numbers[c * sums + s];
        store(thread.task.front, thread.shape, tile.first + row, k, sum);
      }
    }
  }

 private:
  /// b1 of an own column, times its scale.
  MERGANSER_METHOD void load(int front, int column, float* to) const {
    const int row = factor.order[factor.first_column[front] + column];
    float sum[group];
    for (int k = 0; k < group; ++k) sum[k] = right_side.at(row, k);
    const int front_row = factor.first_front_row(front) + column;
    for (int g = factor.first_gather[front_row]; g < factor.first_gather[front_row + 1]; ++g)
      for (int k = 0; k < group; ++k) sum[k] += update[g * group + k];
    const float scale = Base::scaled ? factor.scale[factor.first_column[front] + column] : 1.0f;
    for (int k = 0; k < group; ++k) to[k] = Base::scaled ? scale * sum[k] : sum[k];
  }
  struct Share {
    int quads, at_once, member;
  };
  /// Adds P b1 of columns [begin, begin + columns); b1 of them is at `b`.
  MERGANSER_METHOD void multiply(Thread& thread, const FrontTile& tile, int begin, int columns,
                                 const Share& share, const float* b) const {
    const std::int64_t start = factor.offset[thread.task.front] + tile.offset +
                               std::int64_t(begin) * tile.height + thread.task.first +
                               share.member % share.quads * quad_rows;
    for (int first = share.member / share.quads; first < columns; first += batch * share.at_once) {
      FourRows<Number> p[batch] = {};
      for (int u = 0; u < batch; ++u) {
        const int j = first + u * share.at_once;
        if (j < columns) p[u] = this->quad(start + std::int64_t(j) * tile.height);
      }
      for (int u = 0; u < batch; ++u) {
        const int j = first + u * share.at_once;
        if (j >= columns) break;
        for (int k = 0; k < group; ++k)
          for (int r = 0; r < quad_rows; ++r) thread.sum[r][k] += to_float(p[u].row[r]) * b[j * stride + k];
      }
    }
  }
  MERGANSER_METHOD void store(int front, const FrontShape& shape, int local, int k, float sum) const {
    if (local < shape.columns) {
      forward[(factor.first_column[front] + local) * group + k] = sum;
      return;
    }
    const int front_row = factor.first_front_row(front) + local;
    float added = 0;
    for (int g = factor.first_gather[front_row]; g < factor.first_gather[front_row + 1]; ++g)
      added += update[g * group + k];
    const int below = static_cast<int>(factor.first_row[front]) + local - shape.columns;
    update[factor.slot[below] * group + k] = added + sum;
  }
};

MERGANSER_END
