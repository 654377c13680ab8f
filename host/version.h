#pragma once
/// Version and build of the program.
#include <string>

namespace merganser {

std::string version();  ///< "0.1.0"
std::string
commit();  ///< abbreviated git hash at build time, "+changes" where the tree differed; or "unknown"
std::string version_text();  ///< one line with version, commit and backends

}  // namespace merganser
