#pragma once
/// Fragments of broken bodies.
#include <vector>

#include "device/backend.h"

MERGANSER_BEGIN

/// Number of each particle's fragment, a connected part over whole bonds (a CSR list, see BondListView);
/// numbered by their first particles.
std::vector<float> number_fragments(const std::vector<int>& first, const std::vector<int>& neighbor);

MERGANSER_END
