#!/usr/bin/env bash
# Everything that needs a GPU, in one go of less than nine minutes: the GPU tests (among them CPU against GPU), the
# compute-sanitizer on a small case, and the benchmark. A stage that fails or runs out of time does not stop the next.
#
#   tools/gpu_round.sh [DIR]      DIR: a build folder (default build/cuda) or an unpacked package made --with-tests
#
# Results go to $OUT (default ./gpu_round_results): round.json (stages, exit codes, seconds), benchmark.json, logs.
# Exit code 0 if every stage passed; 1 if one failed; 3 if there is no GPU.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case ${1:-} in -h | --help) awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;; esac

directory=${1:-}
if [[ -z $directory ]]; then
  if [[ -d $here/build/cuda ]]; then directory=$here/build/cuda; else directory=$here; fi # else: this lies in a package
fi
directory=$(cd "$directory" 2> /dev/null && pwd) || { echo "gpu_round: no folder '$1'" >&2; exit 2; }
merganser=$directory/bin/merganser
[[ -x $merganser ]] || { echo "gpu_round: no $merganser; build the preset cuda, or name a build folder or a package" >&2; exit 2; }
scenes=$here/scenes
[[ ! -d $directory/scenes ]] || scenes=$directory/scenes
mkdir -p "${OUT:=$PWD/gpu_round_results}"
OUT=$(cd "$OUT" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

export MERGANSER_REQUIRE_GPU=1 # a GPU test that would skip fails
export PATH=$PATH:/usr/local/cuda/bin
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/cuda/lib64
stages=()
failed=0
stage() { # stage NAME SECONDS COMMAND...: output to NAME.log, its end to the screen
  local name=$1 limit=$2 start=$SECONDS code
  shift 2
  echo "=== $name (at most $limit s)"
  timeout --kill-after=5 "$limit" "$@" > "$OUT/$name.log" 2>&1
  code=$?
  tail -n 15 "$OUT/$name.log"
  ((code != 124)) || echo "ran out of its $limit s"
  echo "=== $name: exit code $code after $((SECONDS - start)) s"
  stages+=("{\"name\": \"$name\", \"exit_code\": $code, \"seconds\": $((SECONDS - start))}")
  ((code == 0)) || failed=1
}

# Stages of more than one command; timeout starts programs, so each runs in a shell of its own.
# shellcheck disable=SC2317 # called through bash -c
gpu_tests() {
  if [[ -f $directory/CTestTestfile.cmake ]] && command -v ctest > /dev/null; then
    ctest --test-dir "$directory" -L gpu -LE slow --output-on-failure --timeout 120 --output-junit "$OUT/gpu_tests.xml" -j4
    return
  fi
  local code=0 found=0 binary
  for binary in "$directory"/bin/*_tests_gpu; do
    [[ -x $binary ]] || continue
    found=1
    echo "--- ${binary##*/}"
    "$binary" --gtest_filter='-*Slow.*' --gtest_brief=1 || code=1
  done
  ((found)) || { echo "no *_tests_gpu in $directory/bin; make the package --with-tests"; return 1; }
  return "$code"
}
# shellcheck disable=SC2317
sanitizer() { # sanitizer TOOL SCENE STEPS
  command -v compute-sanitizer > /dev/null || { echo "no compute-sanitizer; it comes with the CUDA Toolkit"; return 1; }
  compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 20 \
    "$merganser" run "$scenes/merging_and_splitting/$2.json" --device cuda --resolution 0.1 --steps "$3" --quiet -o "$scratch/$1-$2" ||
    (($? == 6)) # after a few steps a check of what is to come cannot have passed
}
export directory merganser scenes scratch OUT
export -f gpu_tests sanitizer

if ! nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader > "$OUT/device.txt" 2>&1; then
  echo "gpu_round: no GPU here (nvidia-smi says: $(head -n1 "$OUT/device.txt"))" >&2
  exit 3
fi
cat "$OUT/device.txt"

stage gpu_tests 150 bash -c gpu_tests
stage benchmark 90 "$merganser" benchmark triad scan sort grid bonds multigrid dam_break fig03 fig04 fig05 --device cuda --json "$OUT/benchmark.json"
for scene in tori dam bowl; do # at resolution 1 these come to their full contact after thousands of steps
  stage "benchmark_$scene" 30 "$merganser" benchmark "fig08_$scene" --device cuda --json "$OUT/benchmark_$scene.json"
done
stage benchmark_elastic 75 "$merganser" benchmark cholesky elastic_table1 --device cuda --json "$OUT/benchmark_elastic.json"
stage benchmark_topology 35 "$merganser" benchmark topology surface --device cuda --json "$OUT/benchmark_topology.json"
stage memcheck 30 bash -c "sanitizer memcheck fig04_fluid_beam_on_cloth 5"
stage memcheck_solids 30 bash -c "sanitizer memcheck fig05_ball_hits_brittle_wall 5"
stage racecheck 30 bash -c "sanitizer racecheck fig04_fluid_beam_on_cloth 2"

plain() { head -n1 | tr -cd '[:alnum:] .,_()/-'; } # safe between JSON quotes
(
  IFS=,
  printf '{"version": "%s", "device": "%s", "date": "%s", "seconds": %d, "stages": [%s]}\n' \
    "$("$merganser" --version 2> /dev/null | plain)" "$(plain < "$OUT/device.txt")" "$(date -u +%FT%TZ)" "$SECONDS" "${stages[*]}"
) > "$OUT/round.json"
echo "results: $OUT"
exit $failed
