#!/usr/bin/env bash
# What the stages of gpu_round.sh do, one function each; gpu_round.sh starts it with a time limit, once a stage.
#
#   tools/gpu_round_stages.sh FUNCTION ARGUMENT...
#
# From the environment: directory (of the build or package), merganser, scenes, results (a folder that is packed), scratch
# (one that is not), small (true in a rehearsal), jobs (tests side by side), silence (seconds after which a test that prints
# nothing hangs), only_tests (empty or a file of names), stage (its name) and seconds (its limit).
# Exit code 77 after a line "left out: REASON"; lines "FAILED: TEST", "OUT OF TIME in: TEST" and "DIED in: TEST" name tests.
set -uo pipefail
case ${1:--h} in -h | --help) awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;; esac
: "${directory:?gpu_round.sh sets it}" "${merganser:?}" "${scenes:?}" "${results:?}" "${scratch:?}" "${small:?}" "${jobs:?}" "${silence:?}" "${stage:?}" "${seconds:?}"
here=$(dirname "$0")

sized() { if $small; then echo "$2"; else echo "$1"; fi; } # sized FULL TINY
left_out() { echo "left out: $*"; return 77; }
on_gpu() { # on_gpu SCENE FOLDER OPTION...: a run that may end in a failed check of what a few steps do not reach
  local scene=$1 folder=$2
  shift 2
  "$merganser" run "$scenes/$scene.json" --device cuda --quiet --overwrite -o "$folder" "$@" || (($? == 6))
}
benchmark() { # benchmark NAME
  local quick=()
  ! $small || quick=(--quick)
  "$merganser" benchmark "$1" --device cuda --json "$results/benchmark_$1.json" "${quick[@]}"
}

first_look() {
  if ldd "$merganser" | grep 'not found'; then return 1; fi
  "$merganser" devices && "$merganser" devices | grep -q '^cuda:0' && benchmark triad &&
    MERGANSER_WAIT_AFTER_LAUNCH=1 on_gpu demos/dam_break "$scratch/first_look" --resolution 0.3 --steps 5 &&
    echo "five steps of the dam break, waiting after each launch: done"
}
libraries() { # an elastic solid is factored by cuSOLVER and cuBLAS, which are opened for it
  local code=0
  LD_DEBUG=libs LD_DEBUG_OUTPUT=$scratch/loader \
    on_gpu elastic_sph/fig02_moving_bunny "$scratch/libraries" --resolution 0.2 --steps 2 || code=1
  sed -n 's/.*calling init: \(.*\/libcu[^ ]*\)$/opened: \1/p; s/.*calling init: \(.*\/libnvJit[^ ]*\)$/opened: \1/p' "$scratch"/loader.* | sort -u
  return $code
}
gpu_tests() { # gpu_tests FOLDER FILTER; a rehearsal runs a few of them
  local binary=$directory/bin/$1_tests_gpu options=()
  [[ -x $binary ]] || { left_out "no $1_tests_gpu in $directory/bin; make the package --with-tests"; return; }
  mkdir -p "$results/tests"
  ! $small || options+=(--first 5)
  [[ -z $only_tests ]] || options+=(--only "$only_tests")
  "$here/gpu_round_tests.py" "$binary" --logs "$results/tests/$stage" --filter="$2" --jobs "$jobs" --seconds $((seconds - 6)) \
    --silence "$silence" "${options[@]}"
}
# The program starts itself again where these are not set (device/openmp/wait_policy.cpp), which tools that watch it may not follow.
watched() { OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=1000 OMP_DYNAMIC=false "$@"; }
sanitize() { # sanitize TOOL SCENE STEPS
  command -v compute-sanitizer > /dev/null || { left_out "no compute-sanitizer; it comes with the CUDA Toolkit"; return; }
  watched compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 20 "$merganser" run "$scenes/$2.json" --device cuda \
    --resolution 0.14 --steps "$3" --quiet --overwrite -o "$scratch/$1" || (($? == 6))
}
same_bits() { # same_bits SCENE STEPS
  local run frame
  for run in one two; do
    on_gpu "$1" "$scratch/$run" --resolution "$(sized 0.4 0.14)" --steps "$(sized "$2" 5)" --set simulation.frameRate=1000 || return 1
    # Every column but times.
    awk -F, 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k !~ /^ms/) keep[k] } { line = ""; for (k = 1; k <= NF; ++k) if (k in keep) line = line "," $k; print line }' \
      "$scratch/$run/statistics.csv" > "$scratch/$run.csv"
  done
  cmp "$scratch/one.csv" "$scratch/two.csv" || { echo "FAILED: statistics of $1 differ"; return 1; }
  for frame in "$scratch"/one/frames/*.vtkhdf; do
    cmp "$frame" "$scratch/two/frames/${frame##*/}" || { echo "FAILED: frames of $1 differ"; return 1; }
  done
  echo "$(find "$scratch/one/frames" -name '*.vtkhdf' | wc -l) frames and $(wc -l < "$scratch/one.csv") rows with the same bits"
}
keep_run() { # keep_run NAME SCENE OPTION...: summary and statistics of a run; its frames are not kept
  local name=$1 folder=$scratch/$1 code=0 file
  mkdir -p "$results/$name"
  "$merganser" run "$scenes/$2.json" --device cuda --quiet --overwrite -o "$folder" "${@:3}" || code=$?
  for file in summary.json statistics.csv; do
    [[ ! -f $folder/$file ]] || cp "$folder/$file" "$results/$name/"
  done
  rm -rf "$folder"
  ((code == 0 || code == 6 || code == 75))
}
table1() { keep_run "$stage" "$1" --resolution "$(sized 1 0.14)" --steps "$(sized 14 4)"; } # as the table in tools/benchmark/RESULTS.md was made
long() { # until its end or nearly all of the stage's time
  keep_run "$stage" "$1" --resolution "$(sized 1 0.14)" --checkpoint-every 0 --max-wall-time "$(sized $((seconds - 15)) 2)"
}
profile() { # profile NAME SCENE RESOLUTION: so many steps that they launch more kernels than are skipped
  command -v ncu > /dev/null || { left_out "no ncu; it comes with the CUDA Toolkit"; return; }
  watched ncu --set full --clock-control none --launch-skip "$(sized 300 3)" --launch-count "$(sized 30 2)" --force-overwrite --export "$scratch/$1" \
    "$merganser" run "$scenes/$2.json" --device cuda --resolution "$(sized "$3" 0.14)" --steps "$(sized 60 4)" --quiet --overwrite -o "$scratch/profiled" ||
    (($? == 6)) || return 1
  [[ -s $scratch/$1.ncu-rep ]] || { echo "ncu met no kernel after those it skipped"; return 1; }
  ncu --import "$scratch/$1.ncu-rep" --page details > "$results/$1.txt"
}

"$@"
