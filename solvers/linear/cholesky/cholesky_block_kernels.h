#pragma once
/// The kernels of BlockSolver: blocks of threads in teams (cholesky_block_plan.h), `group` right sides at
/// once. A thread takes four rows of a column in one load of 16 bytes, and its neighbors the rows and columns
/// that follow in memory, in both sweeps; so the loads of a warp are runs of whole lines. Loads come in
/// batches before their products, for a load takes as long as some hundred products.
#include "device/block_launch.h"
#include "solvers/linear/cholesky/cholesky_block_plan.h"
#include "solvers/linear/cholesky/cholesky_solve_kernels.h"

MERGANSER_BEGIN

constexpr int quad_rows = 4;

/// Four rows of a column of the stored factor, or of a side of a vector.
template <class Number>
struct alignas(quad_rows * sizeof(Number)) Quad {
  Number row[quad_rows];
};
MERGANSER_FN float to_float(float x) { return x; }

/// What both sweeps have in common. A thread keeps `own` sums a right side. A round's phases: 0 vectors of
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
  /// What the thread does in this round.
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
  MERGANSER_METHOD Quad<Number> quad(std::int64_t number) const {
    if constexpr (scaled)
      return *reinterpret_cast<const Quad<Half>*>(factor.halves.data + number);
    else
      return *reinterpret_cast<const Quad<float>*>(factor.stored.data + number);
  }
};

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
      Quad<Number> p[batch] = {};
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

/// x1 of a strip of 32 columns, or of some of them: P^T z with z = [y ; x of the rows below], from the
/// strip's first own row on, above which P is zero. A small team takes all columns, four a thread; a large
/// one `width` columns of several tiles at once.
template <int group, int team, class Number>
struct BackwardStrips : BlockSweep<group, team, Number, team == small_team ? 4 : 1> {
  static constexpr const char* name = "cholesky backward strips";
  static constexpr int quads = tile_rows / quad_rows;  ///< threads of a column
  static constexpr int own_columns = tile_rows * quads / team > 1 ? tile_rows* quads / team : 1;
  using Base = BlockSweep<group, team, Number, own_columns>;
  using Base::factor, Base::batch, Base::part_sums;
  using typename Base::Shared, typename Base::Thread;
  static constexpr int batch_tiles = batch / own_columns;

  View<const float> forward;
  View<const float> known;   ///< x, rows in the caller's order
  SideView<float> solution;  ///< the same numbers, written

  template <int phase>
  MERGANSER_METHOD void run(const BlockPlace& at, Shared& shared, Thread& thread) const {
    if constexpr (phase == 0) this->begin(at, thread);
    if (thread.idle || (phase > 1 && !thread.round.last)) return;
    float* numbers = shared.number[at.thread / team];
    const int member = at.thread % team;
    const FrontShape& shape = thread.shape;
    constexpr int chunk_tiles = chunk_of(team) / tile_rows;
    const int begin = thread.task.strip + thread.round.chunk * chunk_tiles;
    const int end = shape.tiles() < begin + chunk_tiles ? shape.tiles() : begin + chunk_tiles;
    const int first_column = thread.task.strip * tile_rows + thread.task.first;
    // Columns and tiles at once; further columns of a thread follow `at_once` apart.
    const int at_once = own_columns > 1 ? team / quads : this->width, tiles_at_once = team / quads / at_once;
    if constexpr (phase == 0) {
      for (int i = member; i < (end - begin) * tile_rows; i += team)
        load(thread.task.front, shape, begin + i / tile_rows, i % tile_rows, numbers + i);
    } else if constexpr (phase == 1) {
      const Share share{begin + member / quads / at_once,        end,     tiles_at_once,
                        first_column + member / quads % at_once, at_once, member % quads * quad_rows};
      multiply(thread, share, numbers - begin * tile_rows);
    } else if constexpr (phase % 2 == 0) {
      Base::template share_sums<phase>(thread, member, numbers);
    } else {
      constexpr int from = (phase - 2) / 2 * part_sums, sums = part_sums * group;
      for (int s = member; s < at_once * sums; s += team) {
        const int column = s / sums + (from + s / group % part_sums) * at_once;
        if (column >= this->width || first_column + column >= shape.columns) continue;
        float sum = 0;
        for (int t = 0; t < tiles_at_once; ++t)
          for (int q = 0; q < quads; ++q)
            sum += numbers[((t * at_once + s / sums) * quads + q) * sums + s % sums];
        const int position = factor.first_column[thread.task.front] + first_column + column;
        if constexpr (Base::scaled) sum *= factor.scale[position];
        solution.at(factor.order[position], s % group) = sum;
      }
    }
  }

 private:
  static constexpr int stride = chunk_of(team);  ///< from side to side of z in shared memory

  /// z of row r of a tile, side k at [k * stride]; zero in the tile's padding.
  MERGANSER_METHOD void load(int front, const FrontShape& shape, int tile, int r, float* z) const {
    const int own_tiles = shape.own_tiles();
    const int local = (tile < own_tiles ? tile : tile - own_tiles) * tile_rows + r;
    for (int k = 0; k < group; ++k) z[k * stride] = 0;
    if (tile < own_tiles) {
      if (local >= shape.columns) return;
      const int position = factor.first_column[front] + local;
      for (int k = 0; k < group; ++k) z[k * stride] = forward[position * group + k];
    } else if (local < shape.below) {
      const int row = factor.row[static_cast<int>(factor.first_row[front]) + local];
      for (int k = 0; k < group; ++k) z[k * stride] = known[row * solution.stride + solution.first + k];
    }
  }
  /// A thread's tiles [tile, end), its first column and its rows within a tile.
  struct Share {
    int tile, end, tiles_at_once;
    int column, at_once, row;
  };
  /// Adds P^T z; z of tile t's rows is at z + t * tile_rows.
  MERGANSER_METHOD void multiply(Thread& thread, const Share& share, const float* z) const {
    const std::int64_t start = factor.offset[thread.task.front] + share.row;
    for (int first = share.tile; first < share.end; first += batch_tiles * share.tiles_at_once) {
      Quad<Number> p[batch_tiles][own_columns] = {};
      for (int u = 0; u < batch_tiles; ++u) {
        const int t = first + u * share.tiles_at_once;
        const FrontTile tile = thread.shape.tile(t);
        for (int c = 0; c < own_columns; ++c) {
          const int j = share.column + c * share.at_once;
          if (t < share.end && share.row < tile.height && j < thread.shape.columns)
            p[u][c] = this->quad(start + tile.offset + std::int64_t(j) * tile.height);
        }
      }
      for (int u = 0; u < batch_tiles; ++u) {
        const int t = first + u * share.tiles_at_once;
        if (t >= share.end) break;
        for (int k = 0; k < group; ++k) {
          const Quad<float> four =
              *reinterpret_cast<const Quad<float>*>(z + t * tile_rows + share.row + k * stride);
          for (int c = 0; c < own_columns; ++c)
            for (int r = 0; r < quad_rows; ++r) thread.sum[c][k] += to_float(p[u][c].row[r]) * four.row[r];
        }
      }
    }
  }
};

MERGANSER_END
