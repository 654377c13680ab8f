#pragma once
/// The matrices of a system's bodies: one for all that have the same.
#include "solvers/methods/elastic_sph/constant_matrix.h"

MERGANSER_BEGIN

struct FactorOptions {
  double dt;                                      ///< [s]
  bool control;                                   ///< with the implicit zero-energy control
  double memory_limit = 0;                        ///< [bytes] of all factors, 0 = none
  FactorStorage storage = FactorStorage::single;  ///< but of explicit inverses
  std::vector<int> parts = {};                    ///< by body index of the scene, 1 = whole; none: all whole
};

/// One matrix and the bodies that have it; or several such, one block after the other, each with as many
/// bodies.
struct SharedMatrix {
  HostSparseMatrix matrix;
  std::vector<std::vector<int>> copies;  ///< free particles of each body, by row
  std::vector<int> blocks = {0};         ///< first row of each
  std::vector<int> parts = {};           ///< first row of each part of a matrix that is cut, or none
};

/// Bodies that have one rest shape, turned and shifted, have one matrix; so have, nearly, others whose
/// matrices turn out to be equal, the number of which is added to `approximate`. On the GPU unequal ones that
/// are kept whole are joined.
std::vector<SharedMatrix> share_matrices(const RestShape& shape, const ParticleStore& store, Range range,
                                         const FactorOptions& options, int& approximate);
/// [m] of particles, local indices.
std::vector<Point3> rest_positions(const RestShape& shape, const std::vector<int>& particles);

MERGANSER_END
