#!/usr/bin/env bash
# Everything that needs a GPU, stage by stage: a first look, the GPU tests, compute-sanitizer, two runs bit by bit, CPU against
# GPU, benchmarks, a profile, the long scenes. A stage that fails or runs out of its time does not stop the next; only if the
# first look fails, the rest is left out.
#
#   tools/gpu_round.sh [--call 1|2] [--seconds N] [--from STAGE | --stages LIST | --only-failed FILE] [--rehearsal] [--list] [DIR]
#
#   --call 1       what is worth most: tests, headline benchmarks, a profile; --call 2: the rest. Without it, both.
#                  A quarter of an hour with a GPU holds both calls, one at once after the other
#   --seconds N    time for all of it (default 330 in call 1, 510 in call 2, 840); what no longer fits is left out and named
#   --from STAGE   go on from this stage, after the first look
#   --stages LIST  these alone, with commas between; 'benchmark_*' are all whose name begins so
#   --only-failed FILE  what failed in an earlier round, of its tests those alone; FILE is its round.json
#   --rehearsal    the same stages with tiny sizes, to try the script itself
#   --list         print the stages
#   DIR            a build folder (default build/cuda) or an unpacked package made --with-tests
#
# Results go to $OUT (default ./gpu_round_results), written anew after every stage: round.json (hardware, commit, stages,
# benchmarks), round.tar.gz (the same with all logs and files) and round.log (what the screen shows).
# Exit code 0 if every stage passed; 1 if one failed; 4 if none failed but some were left out; 3 if there is no GPU.
set -uo pipefail
export LC_ALL=C # the same digits and letters everywhere
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bad_usage() { echo "gpu_round: $* (see tools/gpu_round.sh -h)" >&2; exit 2; }

call=
budget=
from=
only=
only_failed=
small=false
list=false
directory=
while (($# > 0)); do
  case $1 in
    --call) call=${2:?--call needs 1 or 2}; shift ;;
    --only-failed) only_failed=${2:?--only-failed needs a round.json}; shift ;;
    --seconds) budget=${2:?--seconds needs a number}; shift ;;
    --from) from=${2:?--from needs a stage}; shift ;;
    --stages) only=${2:?--stages needs a list}; shift ;;
    --rehearsal) small=true ;;
    --list) list=true ;;
    -h | --help) awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    -*) bad_usage "unknown option '$1'" ;;
    *) directory=$1 ;;
  esac
  shift
done
case $call in
  1) : "${budget:=330}" ;;
  2) : "${budget:=510}" ;;
  '') : "${budget:=840}" ;;
  *) bad_usage "--call '$call' is neither 1 nor 2" ;;
esac
[[ $budget =~ ^[0-9]+$ ]] || bad_usage "--seconds '$budget' is no whole number"
[[ -z $from || -z $only ]] || bad_usage "--from and --stages exclude each other"
[[ -z $only_failed || -z $from$only$call ]] || bad_usage "--only-failed goes with neither --call, --from nor --stages"

# --- The plan: stage NAME NEEDED LIMIT FUNCTION...(of gpu_round_stages.sh); left out where fewer than NEEDED seconds are left, ended after
# LIMIT. The limits of call 1 add up to its time, so that no fault keeps the benchmarks from their turn.
first_call() {
  local name
  stage libraries 5 46 libraries # the first time it reads half a gigabyte
  stage tests_kernels 20 55 gpu_tests kernel '-*Slow.*'
  stage tests_determinism 5 25 gpu_tests determinism '-*Slow.*'
  stage memcheck_sph_cloth 5 18 sanitize memcheck merging_and_splitting/fig04_fluid_beam_on_cloth 10
  stage memcheck_dfsph_rigid 5 18 sanitize memcheck rigid/floating_bodies 5 # both, in one pressure solve
  stage same_bits_sph_cloth 5 14 same_bits merging_and_splitting/fig04_fluid_beam_on_cloth 200
  for name in dam_break_1m dam_break_16m fig04 dfsph_1m cholesky flip_128; do
    stage "benchmark_$name" 5 13 benchmark "$name"
  done
  stage benchmark_elastic_table1 5 18 benchmark elastic_table1
  stage profile_sph 5 18 profile profile_sph demos/dam_break 2
}
second_call() {
  local name
  stage tests_backends 10 60 gpu_tests backends '-*InScenes*:*Slow.*'
  stage cpu_against_gpu 20 90 gpu_tests backends '*InScenes*' # a hundred steps of every scene
  stage table1_fig06 10 30 table1 merging_and_splitting/fig05_ball_hits_brittle_wall
  stage table1_fig08_tori 10 30 table1 merging_and_splitting/fig08_cloth_and_tori
  stage table1_fig08_dam 10 30 table1 merging_and_splitting/fig08_dam_break_wall
  stage table1_fig08_bowl 10 45 table1 merging_and_splitting/fig08_bowl_breaks_on_water
  stage table1_fig09_cloth 10 30 table1 merging_and_splitting/fig09_flip_cloth
  stage table1_fig09_brittle 10 30 table1 merging_and_splitting/fig09_flip_brittle
  stage memcheck_brittle 5 20 sanitize memcheck merging_and_splitting/fig05_ball_hits_brittle_wall 10
  stage memcheck_flip 5 20 sanitize memcheck merging_and_splitting/fig09_flip_cloth 5
  stage memcheck_elastic 5 20 sanitize memcheck elastic_sph/soft_body_in_water 5
  stage memcheck_topology 5 20 sanitize memcheck topology/fig10_splash 5
  stage memcheck_rigid 5 20 sanitize memcheck rigid/pile 10
  stage tests_scenes 20 90 gpu_tests scene '-*Slow.*'
  stage tests_physics 20 90 gpu_tests physics '-*Slow.*'
  stage same_bits_brittle 5 20 same_bits merging_and_splitting/fig05_ball_hits_brittle_wall 100
  stage same_bits_flip 5 20 same_bits merging_and_splitting/fig09_flip_brittle 50
  stage same_bits_elastic 5 20 same_bits elastic_sph/soft_body_in_water 100
  stage same_bits_topology 5 20 same_bits topology/fig10_splash 100
  stage same_bits_dfsph 5 20 same_bits dfsph/dam_break_100k 100
  stage same_bits_dfsph_rigid 5 20 same_bits rigid/floating_bodies 50
  stage same_bits_rigid 5 20 same_bits rigid/pile 200
  for name in dam_break dam_break_100k dfsph_100k fig03 fig05 rigid_pile rigid_floating flip_256 topology surface scan sort grid bonds multigrid; do
    stage "benchmark_$name" 5 20 benchmark "$name"
  done
  stage profile_dfsph 10 30 profile profile_dfsph dfsph/dam_break_100k 2
  stage profile_coupled 10 30 profile profile_coupled merging_and_splitting/fig04_fluid_beam_on_cloth 1
  stage initcheck_sph_cloth 5 30 sanitize initcheck merging_and_splitting/fig04_fluid_beam_on_cloth 10
  stage initcheck_dfsph_rigid 5 30 sanitize initcheck rigid/floating_bodies 5
  stage initcheck_flip 5 30 sanitize initcheck merging_and_splitting/fig09_flip_cloth 5
  stage initcheck_brittle 5 30 sanitize initcheck merging_and_splitting/fig05_ball_hits_brittle_wall 10
  stage initcheck_elastic 5 30 sanitize initcheck elastic_sph/soft_body_in_water 5
  stage racecheck 5 40 sanitize racecheck merging_and_splitting/fig04_fluid_beam_on_cloth 2
  for name in cloth_and_tori dam_break_wall bowl_breaks_on_water; do
    stage "long_fig08_$name" 40 150 long "merging_and_splitting/fig08_$name"
  done
}
plan() {
  stage first_look 5 40 first_look
  [[ $call == 2 ]] || first_call
  [[ $call == 1 ]] || second_call
}

names=()
stage() { names+=("$1"); }
plan
if $list; then printf '%s\n' "${names[@]}"; exit 0; fi
wanted() { # wanted NAME: by --stages
  local pattern
  # shellcheck disable=SC2053 # patterns are what is meant
  for pattern in ${only//,/ }; do [[ $1 != $pattern ]] || return 0; done
  return 1
}
failed_stages() { # of a round.json, with commas between; stages of tests also leave the names of those that failed
  python3 - "$1" "$scratch" << 'PYTHON'
import json, sys
stages = [s for s in json.load(open(sys.argv[1]))["stages"] if s["result"] in ("failed", "out of time", "stopped", "running")]
for stage in stages:
    if stage["name"].startswith(("tests_", "cpu_against_")) and stage["failed"] and stage["result"] == "failed":
        open(f"{sys.argv[2]}/only_{stage['name']}", "w").write("\n".join(stage["failed"]))
print(",".join(["first_look"] + [stage["name"] for stage in stages if stage["name"] != "first_look"]))
PYTHON
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [[ -n $only_failed ]]; then
  only=$(failed_stages "$only_failed" 2> /dev/null) || bad_usage "'$only_failed' is no round.json of an earlier round"
fi
set -f # no file names for the patterns of --stages
for pattern in ${only//,/ } $from; do
  known=false
  # shellcheck disable=SC2053
  for name in "${names[@]}"; do [[ $name != $pattern ]] || known=true; done
  $known || bad_usage "no stage '$pattern'; --list prints them"
done
[[ $from != first_look ]] || from=

# --- Where everything lies.
if [[ -z $directory ]]; then
  if [[ -d $here/build/cuda ]]; then directory=$here/build/cuda; else directory=$here; fi # else: this lies in a package
fi
given=$directory
directory=$(cd "$directory" 2> /dev/null && pwd) || bad_usage "no folder '$given'"
merganser=$directory/bin/merganser
[[ -x $merganser ]] || bad_usage "no $merganser; build the preset cuda, or name a build folder or a package"
if [[ -x $directory/libexec/merganser ]]; then # a package: bin/ holds a launcher, which refuses on an old glibc
  "$merganser" --version > /dev/null || exit 3
  merganser=$directory/libexec/merganser
fi
source_folder=$here
[[ ! -d $directory/scenes ]] || source_folder=$directory
scenes=$source_folder/scenes
mkdir -p "${OUT:=$PWD/gpu_round_results}" && OUT=$(cd "$OUT" && pwd) || exit 1
results=$scratch/round
mkdir "$results"
cores=$(nproc)
jobs=$((cores < 4 ? cores : 4))
silence=$($small && echo 60 || echo 20) # [s]
export directory merganser scenes scratch results small jobs silence
export MERGANSER_REQUIRE_GPU=1 # a GPU test that would skip fails
export MERGANSER_SOURCE_DIR=$source_folder OMP_NUM_THREADS=$((cores / jobs)) OPENBLAS_NUM_THREADS=1
export OPENBLAS_CORETYPE=Haswell # the packed OpenBLAS (0.3.21) is older than some processors
for shared in "$source_folder/shared" "$here/shared" "$here/../shared"; do
  if [[ -d $shared ]]; then export MERGANSER_SHARED=${MERGANSER_SHARED:-$shared}; fi
done
export PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin

say() { echo "$*" | tee -a "$OUT/round.log"; }
json_string() { # of the first line, what is not plain text dropped
  local text=${1%%$'\n'*}
  text=${text//[^ -~]/}
  text=${text//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

smi() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>&1 | head -n 1; }
: > "$OUT/round.log"
if ! nvidia-smi > "$results/nvidia-smi.txt" 2>&1; then
  echo "gpu_round: no GPU here (nvidia-smi says: $(head -n1 "$results/nvidia-smi.txt"))" >&2
  exit 3
fi
hardware="\"version\": $(json_string "$("$merganser" --version 2>&1)"),
  \"device\": $(json_string "$(smi name)"), \"driver\": $(json_string "$(smi driver_version)"), \"memory\": $(json_string "$(smi memory.total)"),
  \"processor\": $(json_string "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"), \"cores\": $cores,
  \"date\": $(json_string "$(date -u +%FT%TZ)"), \"rehearsal\": $small"

# --- Results: round.json and the archive, each put in place whole.
records=() # one JSON object a stage
write_round() { # write_round [RECORD of the stage that runs]
  local all=("${records[@]}" "$@") file benchmarks=() IFS=,
  set +f
  for file in "$results"/benchmark_*.json; do
    [[ ! -s $file ]] || benchmarks+=("
    $(json_string "$(basename "$file" .json)"): $(< "$file")")
  done
  set -f
  printf '{\n  %s,\n  "budget": %d, "seconds": %d,\n  "stages": [%s],\n  "benchmarks": {%s}\n}\n' \
    "$hardware" "$budget" "$SECONDS" "${all[*]}" "${benchmarks[*]}" > "$results/round.json"
  put_in_place "$results/round.json" round.json
}
put_in_place() { # put_in_place FILE NAME: to $OUT, whole or not at all
  cp "$1" "$OUT/$2.new" && mv "$OUT/$2.new" "$OUT/$2" && return
  rm -f "$OUT/$2.new"
  echo "gpu_round: cannot write $OUT/$2; it is as of an earlier stage"
} 2> /dev/null
pack() {
  write_round
  cp "$OUT/round.log" "$results/"
  tar -C "$scratch" -czf "$scratch/round.tar.gz" round && put_in_place "$scratch/round.tar.gz" round.tar.gz
}
record() { # record NAME RESULT SECONDS EXIT_CODE REASON FAILED...
  local list=() name
  for name in "${@:6}"; do list+=("$(json_string "$name")"); done
  local IFS=,
  printf '\n    {"name": "%s", "result": "%s", "seconds": %d, "exit_code": %s, "reason": %s, "failed": [%s]}' \
    "$1" "$2" "$3" "$4" "$(json_string "$5")" "${list[*]}"
}

failed=()
omitted=()
next= # the first stage that time was too short for
hopeless=false
omit() { # omit NAME REASON
  omitted+=("$1")
  records+=("$(record "$1" "left out" 0 null "$2")")
  say "=== $1: left out, $2"
}
current=
child=
stage() {
  local name=$1 needed=$2 limit=$3 start=$SECONDS code result reason='' faults
  shift 3
  if [[ -n $only ]]; then
    wanted "$name" || return 0
  elif [[ -n $from && $name != first_look ]]; then
    if [[ $name == "$from" ]]; then from=; else return 0; fi
  fi
  if $hopeless; then omit "$name" "the first look failed"; return; fi
  local left=$((budget - SECONDS))
  if ((left < needed)); then
    : "${next:=$name}"
    omit "$name" "it needs $needed s and $left s are left"
    return
  fi
  limit=$((limit < left ? limit : left))
  current=$name
  write_round "$(record "$name" running 0 null "")"
  say "=== $name (at most $limit s)"
  local only_tests=$scratch/only_$name
  [[ -f $only_tests ]] || only_tests=
  only_tests=$only_tests stage=$name seconds=$limit timeout --kill-after=5 "$limit" "$here/tools/gpu_round_stages.sh" "$@" > "$results/$name.log" 2>&1 &
  child=$!
  wait "$child"
  code=$?
  child=
  tail -n 6 "$results/$name.log" | cut -c 1-200 | tee -a "$OUT/round.log"
  mapfile -t faults < <(sed -n 's/^\(FAILED\|OUT OF TIME in\|DIED in\): \(.*\)/\2/p' "$results/$name.log" | awk '!seen[$0]++') # in the order of events
  case $code in
    0) result=passed ;;
    77) result="left out"; reason=$(sed -n 's/^left out: //p' "$results/$name.log" | tail -n 1); omitted+=("$name") ;;
    124 | 137) result="out of time"; reason="not done after $limit s"; failed+=("$name") ;;
    *) result=failed; reason=$(tail -n 1 "$results/$name.log"); failed+=("$name") ;;
  esac
  records+=("$(record "$name" "$result" $((SECONDS - start)) "$code" "$reason" "${faults[@]}")")
  current=
  [[ $name != first_look || $code == 0 ]] || hopeless=true
  say "=== $name: $result after $((SECONDS - start)) s"
  pack
}
stopped() { # a signal: what is done is packed, and the stage that ran is named
  [[ -z $child ]] || kill "$child" 2> /dev/null
  [[ -z $current ]] || records+=("$(record "$current" stopped 0 null "the round was stopped by a signal")")
  say "gpu_round: stopped by a signal${current:+ in $current}"
  pack
  exit 143
}
trap stopped TERM INT HUP

plan
pack
say "results: $OUT ($(du -h "$OUT/round.tar.gz" | cut -f1)); ${#records[@]} stages in $SECONDS s, ${#failed[@]} failed, ${#omitted[@]} left out"
((${#failed[@]} == 0)) || say "failed: ${failed[*]}"
[[ -z $next ]] || say "go on with: tools/gpu_round.sh --from $next${call:+ --call $call}"
((${#failed[@]} == 0)) || exit 1
((${#omitted[@]} == 0)) || exit 4
