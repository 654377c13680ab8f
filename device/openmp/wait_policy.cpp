/// Threads that wait for others sleep instead of spinning, so that a foreign process on the machine costs a run only its
/// share. The OpenMP runtime reads OMP_WAIT_POLICY when it is loaded, before main(); a preinit function runs even earlier.
/// A value that the user has set is kept.
#include <cstdlib>

namespace {
void set_wait_policy(int, char**, char**) {
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("OMP_DYNAMIC", "false", 0);
}
}  // namespace

__attribute__((section(".preinit_array"), used)) void (*merganser_wait_policy)(int, char**, char**) = set_wait_policy;
