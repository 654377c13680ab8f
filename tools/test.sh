#!/usr/bin/env bash
# Set-up, build and all tests that are not labelled `slow`; ends with ctest's summary and its exit code.
#
#   tools/test.sh [--preset cpu|cuda|sanitize|emulated|emulated-sanitize] [--only LABELS] [--slow] [--skip-setup]
#
#   --preset NAME   which build to test (default cpu)
#   --only LABELS   build and run the tests with these labels alone, e.g. unit,cli
#   --slow          the slow tests as well (an hour or more)
#   --skip-setup    do not look for missing packages first
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=cpu
exclude=(-LE slow)
only=()
targets=()
setup=true
while (($# > 0)); do
  case $1 in
    --preset) preset=${2:?--preset needs a name}; shift ;;
    --only)
      labels=${2:?--only needs labels}
      only=(-L "^(${labels//,/|})\$")
      for label in ${labels//,/ }; do targets+=("${label}_tests_cpu"); done
      shift
      ;;
    --slow) exclude=() ;;
    --skip-setup) setup=false ;;
    -h | --help) usage; exit 0 ;;
    *) bad_usage "unknown option '$1'" ;;
  esac
  shift
done

! $setup || tools/setup.sh
cmake --preset "$preset" -DMERGANSER_WERROR="${MERGANSER_WERROR:-OFF}" # set by .ci/run
cmake --build --preset "$preset" ${targets:+--target "${targets[@]}"}

# Tests run side by side, one thread each; those about threads set their number themselves. The cores are counted first, for
# nproc tells no more than OMP_NUM_THREADS.
cores=$(nproc)
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}
ctest --preset "$preset" "${exclude[@]}" "${only[@]}" -j"$cores"
