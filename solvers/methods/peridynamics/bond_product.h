#pragma once
/// Products with the stiffness of bonds on the GPU: the stiffness is found once a step and kept, bonds lie by
/// slices, neighbors are read as quads. BondProduct of bond_terms.h is the plain twin, and the CPU's way.
#include "device/lanes.h"
#include "solvers/methods/peridynamics/bond_terms.h"

MERGANSER_BEGIN

/// Data of a half-bond that a product reads beside its neighbor's position and vector.
struct alignas(8) KeptBond {
  int neighbor;     ///< the row itself where the bond is broken
  float stiffness;  ///< [N/m^3] k_ij / |y|^2, see directed_stiffness(); zero where the bond is broken
};

/// Kept bonds by slices: those of 32 rows that follow each other are interleaved, so that threads of a warp
/// read memory side by side (sliced ELLPACK: Monakov, Lokhmotov & Avetisyan 2010, Automatically tuning sparse
/// matrix-vector multiplication for GPU architectures). Rows keep their order: lattice neighbors of a slice
/// then lie side by side, too.
struct KeptBondsView {
  static constexpr int slice_rows = 32;
  View<const int> first;              ///< see BondListView
  View<const int> slice;              ///< first entry of every slice
  View<const KeptBond> bond;          ///< entries that no row has are not written
  View<const Quad> position, vector;  ///< [m] y; what the matrix is multiplied with

  MERGANSER_METHOD int length(int row) const { return first[row + 1] - first[row]; }
  /// Entry of bond number k of a row.
  MERGANSER_METHOD int entry(int row, int k) const {
    return slice[row / slice_rows] + k * slice_rows + row % slice_rows;
  }
};

class BondProducts {
 public:
  /// The place of every half-bond; `first` as in BondListView, kept as a view (blocking). A slice is as long
  /// as its longest row: 1 to 3 % of room are left over in thick lattice bodies, a fifth in ones that are six
  /// particles wide along the rows.
  void arrange(View<const int> first);
  /// Keeps the stiffness of all bonds at the positions in `fields`, 8 bytes a half-bond; diagonal: blocks of
  /// K [N/m], written.
  void keep(const BondListView& bonds, const BondFields& fields, View<SymmetricMatrix3> diagonal);
  /// The product that `term` describes, with the bonds last kept.
  void multiply(const BondProduct& term);

 private:
  KeptBondsView view() const;
  int entries_ = 0;  ///< of all slices
  Array<int> slice_;
  Array<KeptBond> bond_;
  Array<Quad> position_, vector_;
  View<const int> first_;
};

MERGANSER_END
