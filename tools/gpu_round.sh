#!/usr/bin/env bash
# Everything that needs a GPU, stage by stage: a first look, the GPU tests, compute-sanitizer, two runs bit by bit, CPU against
# GPU, benchmarks, a profile, the long scenes. A stage that fails or runs out of its time does not stop the next; only if the
# first look fails, the rest is left out.
#
#   tools/gpu_round.sh [--seconds N] [--from STAGE | --stages LIST] [--rehearsal] [--list] [DIR]
#
#   --seconds N    time for all of it (default 540); what no longer fits is left out and named
#   --from STAGE   go on from this stage, after the first look: the second call of a round
#   --stages LIST  these alone, with commas between; 'benchmark_*' are all whose name begins so
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

budget=540
from=
only=
small=false
list=false
directory=
while (($# > 0)); do
  case $1 in
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
[[ $budget =~ ^[0-9]+$ ]] || bad_usage "--seconds '$budget' is no whole number"
[[ -z $from || -z $only ]] || bad_usage "--from and --stages exclude each other"

# --- The plan: stage NAME NEEDED LIMIT FUNCTION...(of gpu_round_stages.sh); left out where fewer than NEEDED seconds are left, ended after LIMIT.
plan() {
  local name
  stage first_look 5 40 first_look
  stage libraries 5 40 libraries
  stage tests_kernels 20 120 gpu_tests kernel 4 '-*Slow.*'
  stage tests_determinism 5 60 gpu_tests determinism 2 '-*Slow.*'
  stage tests_backends 10 90 gpu_tests backends 4 '-*InScenes*:*Slow.*'
  stage tests_scenes 20 120 gpu_tests scene 8 '-*Slow.*'
  stage tests_physics 30 150 gpu_tests physics 8 '-*Slow.*'
  for name in memcheck initcheck; do # every solver
    stage "${name}_sph_cloth" 5 40 sanitize "$name" merging_and_splitting/fig04_fluid_beam_on_cloth 10
    stage "${name}_brittle" 5 40 sanitize "$name" merging_and_splitting/fig05_ball_hits_brittle_wall 10
    stage "${name}_flip" 5 40 sanitize "$name" merging_and_splitting/fig09_flip_cloth 5
    stage "${name}_elastic" 5 40 sanitize "$name" elastic_sph/soft_body_in_water 5
    stage "${name}_topology" 5 40 sanitize "$name" topology/fig10_splash 5
    stage "${name}_dfsph_rigid" 5 40 sanitize "$name" rigid/floating_bodies 5 # both, in one pressure solve
    stage "${name}_rigid" 5 40 sanitize "$name" rigid/pile 10
  done
  stage racecheck 5 40 sanitize racecheck merging_and_splitting/fig04_fluid_beam_on_cloth 2
  stage same_bits_sph_cloth 5 40 same_bits merging_and_splitting/fig04_fluid_beam_on_cloth 200
  stage same_bits_brittle 5 40 same_bits merging_and_splitting/fig05_ball_hits_brittle_wall 100
  stage same_bits_flip 5 40 same_bits merging_and_splitting/fig09_flip_brittle 50
  stage same_bits_elastic 5 40 same_bits elastic_sph/soft_body_in_water 100
  stage same_bits_topology 5 40 same_bits topology/fig10_splash 100
  stage same_bits_dfsph 5 40 same_bits dfsph/dam_break_100k 100
  stage same_bits_dfsph_rigid 5 40 same_bits rigid/floating_bodies 50
  stage same_bits_rigid 5 40 same_bits rigid/pile 200
  stage cpu_against_gpu 20 120 gpu_tests backends 8 '*InScenes*' # a hundred steps of every scene
  for name in scan sort grid bonds multigrid dam_break dam_break_100k dam_break_1m dam_break_16m dfsph_100k dfsph_1m fig03 fig04 fig05 \
    rigid_pile rigid_floating flip_128 flip_256 cholesky topology surface; do
    stage "benchmark_$name" 8 60 benchmark "$name"
  done
  stage benchmark_elastic_table1 20 120 benchmark elastic_table1
  stage table1_fig06 10 60 table1 merging_and_splitting/fig05_ball_hits_brittle_wall
  stage table1_fig08_tori 10 60 table1 merging_and_splitting/fig08_cloth_and_tori
  stage table1_fig08_dam 10 60 table1 merging_and_splitting/fig08_dam_break_wall
  stage table1_fig08_bowl 20 90 table1 merging_and_splitting/fig08_bowl_breaks_on_water
  stage table1_fig09_cloth 10 60 table1 merging_and_splitting/fig09_flip_cloth
  stage table1_fig09_brittle 10 60 table1 merging_and_splitting/fig09_flip_brittle
  stage profile_sph 10 60 profile profile_sph demos/dam_break 2
  stage profile_dfsph 10 60 profile profile_dfsph dfsph/dam_break_100k 2
  stage profile_coupled 10 60 profile profile_coupled merging_and_splitting/fig04_fluid_beam_on_cloth 1
  for name in cloth_and_tori dam_break_wall bowl_breaks_on_water; do
    stage "long_fig08_$name" 40 150 long "merging_and_splitting/fig08_$name"
  done
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
source_folder=$here
[[ ! -d $directory/scenes ]] || source_folder=$directory
scenes=$source_folder/scenes
mkdir -p "${OUT:=$PWD/gpu_round_results}" && OUT=$(cd "$OUT" && pwd) || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
results=$scratch/round
mkdir "$results"
cores=$(nproc)
jobs=$((cores < 4 ? cores : 4))
export directory merganser scenes scratch results small jobs
export MERGANSER_REQUIRE_GPU=1 # a GPU test that would skip fails
export MERGANSER_SOURCE_DIR=$source_folder OMP_NUM_THREADS=$((cores / jobs)) OPENBLAS_NUM_THREADS=1
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
    "$hardware" "$budget" "$SECONDS" "${all[*]}" "${benchmarks[*]}" > "$OUT/round.json.new"
  mv "$OUT/round.json.new" "$OUT/round.json"
}
pack() {
  write_round
  cp "$OUT/round.json" "$OUT/round.log" "$results/"
  tar -C "$scratch" -czf "$OUT/round.tar.gz.new" round && mv "$OUT/round.tar.gz.new" "$OUT/round.tar.gz"
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
  stage=$name seconds=$limit timeout --kill-after=5 "$limit" "$here/tools/gpu_round_stages.sh" "$@" > "$results/$name.log" 2>&1 &
  child=$!
  wait "$child"
  code=$?
  child=
  tail -n 6 "$results/$name.log" | cut -c 1-200 | tee -a "$OUT/round.log"
  mapfile -t faults < <(sed -n 's/^\(FAILED\|OUT OF TIME in\|DIED in\): \(.*\)/\2/p' "$results/$name.log" | sort -u)
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
[[ -z $next ]] || say "go on with: tools/gpu_round.sh --from $next"
((${#failed[@]} == 0)) || exit 1
((${#omitted[@]} == 0)) || exit 4
