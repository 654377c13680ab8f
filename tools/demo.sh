#!/usr/bin/env bash
# The main job from one command: set-up, build, a fluid beam that falls onto an elastic cloth, a picture and a movie.
# The second time only the job and its pictures are made again.
#
#   tools/demo.sh [--resolution R] [-o DIR] [--no-movie]
#
#   --resolution R   1 is the scene's own spacing: 330,000 particles, for a GPU; the default suits two CPU cores
#   -o DIR           where the run goes (default runs/demo)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

resolution_cpu=0.4
resolution_gpu=1
picture_frame=18 # 0.18 s after the start: the beam becomes a crown
scene=scenes/merging_and_splitting/fig04_fluid_beam_on_cloth.json

preset=cpu
configure=()
resolution=$resolution_cpu
if have_gpu; then
  preset=cuda
  configure=(-DCMAKE_CUDA_ARCHITECTURES=native) # this machine's alone: a fraction of the time
  resolution=$resolution_gpu
fi
output=runs/demo
movie=(--movie)
while (($# > 0)); do
  case $1 in
    --resolution) resolution=${2:?--resolution needs a number}; shift ;;
    -o | --output) output=${2:?-o needs a folder}; shift ;;
    --no-movie) movie=(--no-movie) ;;
    -h | --help) usage; exit 0 ;;
    *) bad_usage "unknown option '$1'" ;;
  esac
  shift
done

tools/setup.sh
cmake --preset "$preset" "${configure[@]}" > /dev/null || die "cmake --preset $preset failed; run it by itself to see why"
cmake --build --preset "$preset" --target merganser

# The last demo's files go, for they may be more than this one's; a folder that is no run stays as it is.
replace=()
if [[ -f $output/scene.json ]]; then
  replace=(--overwrite)
  rm -f "${output:?}"/pictures/*.{png,mp4}
fi
code=0
"build/$preset/bin/merganser" run "$scene" -o "$output" --resolution "$resolution" "${replace[@]}" || code=$?
((code == 0 || code == 6)) || exit "$code" # 6: done, but a check of the scene failed; its pictures show how

build/venv/bin/python tools/render.py "$output" --frame "$picture_frame" "${movie[@]}" > /dev/null
build/venv/bin/python tools/plot.py "$output" > /dev/null

echo
echo "The run:      $output/ (frames/frames.vtkhdf.series opens in ParaView; summary.json tells what happened)"
echo "The pictures: $output/pictures/"
find "$output/pictures" -name '*.png' -o -name '*.mp4' | sort | sed 's/^/  /'
exit "$code"
