#include "solvers/geometry/level_set/openvdb_module.h"

/// See openvdb_module_symbol.
extern "C" const merganser::OpenVdbModule merganser_openvdb_module = {
    MERGANSER_VERSION, merganser::openvdb_module::sample_mesh, merganser::openvdb_module::united_mesh,
    merganser::openvdb_module::level_set_surface};
