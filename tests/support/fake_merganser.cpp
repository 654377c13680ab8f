/// The command line with fake scenes, for the tests in tests/cli.
#include "host/cli/cli.h"
#include "tests/support/fake_simulation.h"

int main(int argc, char** argv) {
  return merganser::run_command_line(argc, argv, merganser::fake::services());
}
