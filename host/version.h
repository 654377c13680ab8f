#pragma once
/// Version and build of the program.
#include <string>

namespace merganser {

std::string version();  ///< "0.3.0"
std::string
commit();  ///< abbreviated git hash at build time, "+changes" where the tree differed; or "unknown"
std::string version_text();  ///< one line with version, commit, build and backends

}  // namespace merganser
