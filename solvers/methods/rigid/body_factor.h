#pragma once
/// S of body_equations.h factored as a whole: S = L D L^T with 6 x 6 blocks, L_ik = S_ik D_k^-1, on the
/// motions that joints allow. The next body to be eliminated is the one with the fewest neighbors left
/// (minimum degree: Tinney and Walker 1967), so a heap fills in little. One block of threads does all of it.
#include "device/array.h"
#include "device/block_phases.h"
#include "solvers/methods/rigid/body_equations.h"

MERGANSER_BEGIN

/// count x count blocks, row by row, of which the linked ones hold numbers.
struct BodyFactorView {
  int count;
  View<TwistMatrix> block;  ///< S; then L_ik in column k, D_k^-1 on the diagonal, what was S_kj in row k
  View<int> linked;         ///< per block
  View<int> degree;         ///< per body: neighbors left; -1: eliminated, or without ties
  View<int> order, place;   ///< bodies as they are eliminated; per body its place there, count: none
  View<int> front;          ///< neighbors of the body that is being eliminated
  View<int> number;         ///< [0] eliminated bodies, [1] length of the front
  MERGANSER_METHOD TwistMatrix& at(int i, int j) const { return block[i * count + j]; }
  MERGANSER_METHOD bool links(int i, int j) const { return linked[i * count + j] != 0; }
};

/// Row b of S. One index a body.
struct FillBodyRow {
  static constexpr const char* name = "rigid factor: rows";
  OverTies over;
  View<const TwistMatrix> own;  ///< M - M_c + W
  BodyFactorView s;
  MERGANSER_METHOD void operator()(int b) const {
    for (int j = 0; j < s.count; ++j) s.linked[b * s.count + j] = 0;
    s.at(b, b) = own[b];
    for (int t = over.begin(b), end = over.end(b); t < end; ++t) {
      const double k = over.list.stiffness[t], h = over.list.mass[t];
      const double shared = h > 0 ? k * k / over.list.whole[t] : 0.0;
      add_tie(s.at(b, b), k - shared, over.arm(t), over.arm(t));
      if (!(h > 0)) continue;
      for (int i = over.list.next[t]; i != t; i = over.list.next[i]) {
        const int other = over.body(i);
        if (!s.links(b, other)) s.at(b, other) = {};
        s.linked[b * s.count + other] = 1;
        add_tie(s.at(b, other), -shared, over.arm(t), over.arm(i));
      }
    }
    int degree = 0;
    for (int j = 0; j < s.count; ++j) degree += s.linked[b * s.count + j];
    s.degree[b] = over.tie.stiffness[b] > 0 ? degree : -1;
    s.place[b] = s.count;
  }
  /// += w J_1^T J_2.
  MERGANSER_METHOD static void add_tie(TwistMatrix& sum, double w, const Vec3d& arm1, const Vec3d& arm2) {
    const Vec3d unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int column = 0; column < 6; ++column) {
      const Vec3d moved = column < 3 ? unit[column] : cross(unit[column - 3], arm2);
      const Twist t = impulse_at(arm1, w * moved);
      const double entry[6] = {t.linear.x, t.linear.y, t.linear.z, t.angular.x, t.angular.y, t.angular.z};
      for (int row = 0; row < 6; ++row) sum.a[row][column] += entry[row];
    }
  }
};

/// The body to be eliminated, its neighbors and the inverse of its block. One index.
struct ChooseBody {
  RigidView bodies;
  BodyFactorView s;
  MERGANSER_METHOD void operator()(int) const {
    int chosen = -1, length = 0;
    for (int b = 0; b < s.count; ++b)
      if (s.degree[b] >= 0 && (chosen < 0 || s.degree[b] < s.degree[chosen])) chosen = b;
    s.number[1] = 0;
    if (chosen < 0) return;
    s.degree[chosen] = -1;
    s.place[chosen] = s.number[0];
    s.order[s.number[0]++] = chosen;
    for (int j = 0; j < s.count; ++j)
      if (s.links(chosen, j) && s.degree[j] >= 0) s.front[length++] = j;
    s.number[1] = length;
    s.at(chosen, chosen) = bodies.inverse(chosen, s.at(chosen, chosen));
  }
};
/// L_ik of the neighbors. One index a neighbor.
struct ScaleBodyColumn {
  BodyFactorView s;
  MERGANSER_METHOD void operator()(int f) const {
    const int k = s.order[s.number[0] - 1], i = s.front[f];
    s.at(i, k) = transposed(s.at(k, i)) * s.at(k, k);
  }
};
/// S_ij -= L_ik S_kj. One index a pair of neighbors.
struct UpdateBodyPairs {
  BodyFactorView s;
  MERGANSER_METHOD void operator()(int pair) const {
    const int length = s.number[1], first = pair / length, second = pair % length;
    if (second > first) return;
    const int k = s.order[s.number[0] - 1], i = s.front[first], j = s.front[second];
    TwistMatrix sum = s.links(i, j) || i == j ? s.at(i, j) : TwistMatrix{};
    sum.subtract(s.at(i, k) * s.at(k, j));
    s.at(i, j) = sum;
    if (i == j) return;
    s.at(j, i) = transposed(sum);
    s.linked[i * s.count + j] = s.linked[j * s.count + i] = 1;
  }
};
/// One index a neighbor.
struct CountNeighborsLeft {
  BodyFactorView s;
  MERGANSER_METHOD void operator()(int f) const {
    const int i = s.front[f];
    int degree = 0;
    for (int j = 0; j < s.count; ++j) degree += s.links(i, j) && s.place[j] == s.count ? 1 : 0;
    s.degree[i] = degree;
  }
};

struct FactorBodies {
  static constexpr const char* name = "rigid factor";
  RigidView bodies;
  BodyFactorView s;
  template <class Phases>
  MERGANSER_BLOCK_METHOD void operator()(Phases& phases) const {
    for (int done = 0; done < s.count; ++done) {
      phases.run(1, ChooseBody{bodies, s});
      const int length = s.number[1];
      if (s.number[0] == done) return;
      phases.run(length, ScaleBodyColumn{s});
      phases.run(length * length, UpdateBodyPairs{s});
      phases.run(length, CountNeighborsLeft{s});
    }
  }
};

/// Vectors of a solve with the factor; one entry a body.
struct FactorVectors {
  BodyFactorView s;
  View<const Twist> r;  ///< right side
  View<Twist> y, x;     ///< S^-1 r, and what that is added to
  MERGANSER_METHOD bool later(int n, int i) const { return s.links(s.order[n], i) && s.place[i] > n; }
};
struct StartFactorSolve : FactorVectors {
  MERGANSER_METHOD void operator()(int b) const { y[b] = r[b]; }
};
/// y_i -= L_ik y_k for all i after the n-th body k.
struct SolveForward : FactorVectors {
  int n;
  MERGANSER_METHOD void operator()(int i) const {
    const int k = s.order[n];
    if (later(n, i)) y[i] = y[i] - s.at(i, k) * y[k];
  }
};
/// y_k = D_k^-1 y_k - sum L_ik^T y_i. One index.
struct SolveBackward : FactorVectors {
  int n;
  MERGANSER_METHOD void operator()(int) const {
    const int k = s.order[n];
    Twist sum = s.at(k, k) * y[k];
    for (int i = 0; i < s.count; ++i)
      if (later(n, i)) sum = sum - transposed(s.at(i, k)) * y[i];
    y[k] = sum;
  }
};
struct EndFactorSolve : FactorVectors {
  MERGANSER_METHOD void operator()(int b) const {
    if (s.place[b] < s.count) x[b] += y[b];
  }
};
/// x += S^-1 r.
struct SolveBodies {
  static constexpr const char* name = "rigid factor solve";
  FactorVectors v;
  template <class Phases>
  MERGANSER_BLOCK_METHOD void operator()(Phases& phases) const {
    const int count = v.s.number[0];
    phases.run(v.s.count, StartFactorSolve{v});
    for (int n = 0; n < count; ++n) phases.run(v.s.count, SolveForward{v, n});
    for (int n = count - 1; n >= 0; --n) phases.run(1, SolveBackward{v, n});
    phases.run(v.s.count, EndFactorSolve{v});
  }
};

class BodyFactor {
 public:
  /// More bodies would take too much memory for blocks that hold nothing.
  static constexpr int most_bodies = 256;
  void factor(const OverTies& over, View<const TwistMatrix> own) {
    const int count = own.count;
    block_.resize(count * count);
    linked_.resize(count * count);
    for (Array<int>* of_body : {&degree_, &order_, &place_, &front_}) of_body->resize(count);
    solution_.resize(count);
    number_.zero();
    launch(count, FillBodyRow{over, own, view()});
    launch_block(FactorBodies{over.bodies, view()});
  }
  /// x += S^-1 r.
  void solve(View<const Twist> r, View<Twist> x) {
    launch_block(SolveBodies{{view(), r, solution_.view(), x}});
  }

 private:
  BodyFactorView view() {
    return {.count = degree_.size(),
            .block = block_.view(),
            .linked = linked_.view(),
            .degree = degree_.view(),
            .order = order_.view(),
            .place = place_.view(),
            .front = front_.view(),
            .number = number_.view()};
  }
  Array<TwistMatrix> block_;
  Array<int> linked_, degree_, order_, place_, front_, number_{2};
  Array<Twist> solution_;
};

MERGANSER_END
