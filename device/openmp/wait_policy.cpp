/// Threads that wait for others sleep instead of spinning, so that a foreign process on the machine costs a
/// run only its share. The OpenMP runtime reads OMP_WAIT_POLICY while it is loaded, before any code of ours
/// can run, and offers no call to change it; so an executable that was started without the variable sets it
/// and starts itself again, once, before anything else. A value that the user has set is kept.
#include <sys/auxv.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

namespace {
// 101: before all other constructors of the executable. glibc passes main's arguments.
__attribute__((constructor(101))) void start_with_passive_waiting(int, char** argv, char**) {
  if (getenv("OMP_WAIT_POLICY") != nullptr) return;
  // No interpreter: started as an argument of the dynamic loader, and /proc/self/exe is the loader.
  if (getauxval(AT_BASE) == 0) return;
  char executable[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
  if (length <= 0) return;  // no /proc: the run is right, only less polite
  executable[length] = '\0';
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("OMP_DYNAMIC", "false", 0);
  setenv("OPENBLAS_NUM_THREADS", "1", 0);  // our threads call it; threads of its own would only idle
  execv(executable, argv);
}
}  // namespace
