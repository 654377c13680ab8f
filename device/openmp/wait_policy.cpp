/// Threads that wait for others sleep instead of spinning, so that a foreign process on the machine costs a
/// run only its share; but they look about for some tens of microseconds before, for the next launch of a
/// step comes sooner than that, and on a virtual machine waking takes 60 us. Measured on two cores, 4,200
/// elastic particles: 8.7 ms a step without the look, 4.8 with it, 4.2 with spinning for ever; beside a
/// foreign process 8.3, 9.7 and 16. The OpenMP runtime reads these variables while it is loaded, before any
/// code of ours can run, and offers no call to change them; so an executable that was started without
/// OMP_WAIT_POLICY sets them and starts itself again, once, before anything else. Values that the user has
/// set are kept.
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
  setenv("GOMP_SPINCOUNT", "1000", 0);  // looks, 140 cycles each
  setenv("OMP_DYNAMIC", "false", 0);
  setenv("OPENBLAS_NUM_THREADS", "1", 0);  // our threads call it; threads of its own would only idle
  execv(executable, argv);
}
}  // namespace
