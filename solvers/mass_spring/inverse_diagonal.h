#pragma once
/// 3 x 3 diagonal blocks of P^T A P, inverted: the block Jacobi preconditioner.
#include "solvers/linear/reduced_unknowns.h"
#include "solvers/mass_spring/spring_operator.h"

MERGANSER_BEGIN

/// D_i^-1 of rows that are unknowns by themselves, D_i = h_i I + sum_j B_ij; zero on fixed rows. Groups:
/// InvertGroupDiagonal.
struct InvertDiagonal {
  static constexpr const char* name = "mass-spring invert diagonal";
  Reach reach;  ///< rows to write
  View<const int> first;
  View<const SpringBlock> block;
  View<const float> inertia;
  View<SymmetricMatrix3> inverse_diagonal;
  MERGANSER_METHOD void operator()(int i) const {
    if (!reach.contains(i)) return;
    SymmetricMatrix3 sum = scaled_identity(inertia[i]);
    for (int s = first[i], end = first[i + 1]; s < end; ++s) sum += block[s].matrix();
    inverse_diagonal[i] = inertia[i] > 0 ? inverse(sum) : scaled_identity(0);
  }
};

/// D^-1 of a group with several own members: the sum of their rows' diagonal blocks without the springs
/// between them, which a common velocity does not strain.
struct InvertGroupDiagonal {
  static constexpr const char* name = "mass-spring invert group diagonal";
  OwnMembersView own;
  Reach reach;  ///< only groups within
  View<const int> first, neighbor, representative;
  View<const SpringBlock> block;
  View<const float> inertia;
  View<SymmetricMatrix3> inverse_diagonal;
  MERGANSER_METHOD void operator()(int g) const {
    if (own.count(g) < 2 || !reach.contains(own.local(own.begin[g]))) return;
    const int group = representative[own.local(own.begin[g])];
    if (group < 0) return;
    SymmetricMatrix3 sum{};
    for (int m = own.begin[g]; m < own.end[g]; ++m) {
      const int i = own.local(m);
      sum += scaled_identity(inertia[i]);
      for (int s = first[i]; s < first[i + 1]; ++s)
        if (representative[neighbor[s]] != group) sum += block[s].matrix();
    }
    const SymmetricMatrix3 inverted = inverse(sum);
    for (int m = own.begin[g]; m < own.end[g]; ++m) inverse_diagonal[own.local(m)] = inverted;
  }
};

MERGANSER_END
