#pragma once
/// 3 x 3 diagonal blocks of P^T A P, inverted: the block Jacobi preconditioner.
#include "solvers/coupling/implicit/implicit_kernels.h"
#include "solvers/coupling/implicit/reduced_unknowns.h"
#include "solvers/methods/mass_spring/spring_operator.h"

MERGANSER_BEGIN

/// D^-1 of a positive definite block [kg]. Divided by its trace first: the determinant of masses below 1e-13
/// kg (fibres of some micrometres) is too small for float.
MERGANSER_FN SymmetricMatrix3 inverse_block(const SymmetricMatrix3& block) {
  const float s = 1 / (block.xx + block.yy + block.zz);
  return InvertRowDiagonal::scaled(inverse(InvertRowDiagonal::scaled(block, s)), s);
}

/// D_i^-1 of rows that are unknowns by themselves, D_i = h_i I + sum_j B_ij; zero on fixed rows. Groups:
/// InvertGroupDiagonal.
struct InvertDiagonal {
  static constexpr const char* name = "mass-spring invert diagonal";
  ActiveRows reach;  ///< rows to write
  View<const int> first;
  View<const SpringBlock> block;
  View<const float> effective_mass;
  View<SymmetricMatrix3> inverse_diagonal;
  MERGANSER_METHOD void operator()(int i) const {
    if (!reach.contains(i)) return;
    SymmetricMatrix3 sum = scaled_identity(effective_mass[i]);
    for (int s = first[i], end = first[i + 1]; s < end; ++s) sum += block[s].matrix();
    inverse_diagonal[i] = effective_mass[i] > 0 ? inverse_block(sum) : scaled_identity(0);
  }
};

/// D^-1 of a group with several own members: the sum of their rows' diagonal blocks without the springs
/// between them, which a common velocity does not strain.
struct InvertGroupDiagonal {
  static constexpr const char* name = "mass-spring invert group diagonal";
  using Value = SymmetricMatrix3;
  OwnMembersView own;
  ActiveRows reach;  ///< only groups within
  View<const int> first, neighbor, representative;
  View<const SpringBlock> block;
  View<const float> effective_mass;
  View<SymmetricMatrix3> inverse_diagonal;
  MERGANSER_METHOD int begin(int g) const { return own.begin[g]; }
  MERGANSER_METHOD int end(int g) const {
    if (own.count(g) < 2 || !reach.contains(own.local(own.begin[g]))) return own.begin[g];
    return representative[own.local(own.begin[g])] < 0 ? own.begin[g] : own.end[g];
  }
  MERGANSER_METHOD void add(SymmetricMatrix3& sum, int g, int m) const {
    const int i = own.local(m), group = representative[own.local(own.begin[g])];
    sum += scaled_identity(effective_mass[i]);
    for (int s = first[i]; s < first[i + 1]; ++s)
      if (representative[neighbor[s]] != group) sum += block[s].matrix();
  }
  MERGANSER_METHOD static SymmetricMatrix3 identity() { return {}; }
  MERGANSER_METHOD static SymmetricMatrix3 combine(const SymmetricMatrix3& a, const SymmetricMatrix3& b) {
    SymmetricMatrix3 sum = a;
    sum += b;
    return sum;
  }
  MERGANSER_METHOD SymmetricMatrix3 share(int, const SymmetricMatrix3& sum) const {
    return inverse_block(sum);
  }
  MERGANSER_METHOD void spread(int, int m, const SymmetricMatrix3& inverted) const {
    inverse_diagonal[own.local(m)] = inverted;
  }
};

MERGANSER_END
