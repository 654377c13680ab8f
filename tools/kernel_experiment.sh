#!/usr/bin/env bash
# Compiles device/, the tables of parameters, some sources of solvers/ and one main() with nvcc alone, and runs it: experiments with kernel variants on a machine
# that has a GPU and the CUDA Toolkit, but not the libraries the whole program is built with. What did not change is not compiled again.
#
#   tools/kernel_experiment.sh [--architecture 90] [--emulated] [--compile-only] [--flag FLAG]... MAIN.cpp SOURCE... [-- ARGUMENT...]
#
#   MAIN.cpp          e.g. tools/benchmark/time_primitive.cpp
#   SOURCE            files or folders of solvers/; of a folder the files that any half compiles. What the linker misses, name as well
#   --architecture N  of the GPU (default: native, that of this machine)
#   --emulated        by g++ for the emulated GPU instead: checks results, says nothing about time
#   --compile-only    do not run it
#   --flag FLAG       one more for the compiler and the linker, e.g. --flag -DBUCKET=64; may be repeated
#   ARGUMENT...       for the program
#
# For example: tools/kernel_experiment.sh tools/benchmark/time_primitive.cpp solvers/benchmarks/primitive_benchmarks.cpp \
#                solvers/linear/multigrid/multigrid.cpp solvers/linear/krylov/grid_conjugate_gradient.cpp solvers/linear/krylov/grid_gradient_on_device.cpp solvers/methods/peridynamics -- bonds 1000000
# Objects, the program and the compiler's listing of the kernels (kernels.txt, for tools/kernel_resources.py --list) lie in
# build/experiment/.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

architecture=native
emulated=false
run=true
flags=()
sources=()
while (($# > 0)); do
  case $1 in
    --architecture) architecture=${2:?--architecture needs a number}; shift ;;
    --emulated) emulated=true ;;
    --compile-only) run=false ;;
    --flag) flags+=("${2:?--flag needs one}"); shift ;;
    -h | --help) usage; exit 0 ;;
    --) shift; break ;;
    -*) bad_usage "unknown option '$1'" ;;
    *) sources+=("$1") ;;
  esac
  shift
done
((${#sources[@]} > 0)) || bad_usage "no MAIN.cpp"

main=${sources[0]}
files=(device/*.cpp solvers/base/parameter_table.cpp)
for source in "${sources[@]:1}"; do
  if [[ -d $source ]]; then
    for file in "$source"/*.cpp; do [[ $file == *_@(cpu|gpu|emulated).cpp ]] || files+=("$file"); done
  else
    files+=("$source")
  fi
done
for file in "$main" "${files[@]}"; do [[ -f $file ]] || bad_usage "no file $file"; done

if $emulated; then
  build=build/experiment/emulated
  files+=(device/emulated/*.cpp)
  compile=(g++ -std=c++20 -O3 -DNDEBUG -march=x86-64-v3 -fopenmp -ffp-contract=fast -fno-math-errno -fno-trapping-math -DMERGANSER_EMULATED=1)
  link=(-fopenmp)
else
  have_nvcc || die "no nvcc; it comes with the CUDA Toolkit"
  build=build/experiment/cuda
  files+=(device/cuda/*.cpp)
  arch=sm_$architecture
  [[ $architecture != native ]] || arch=native
  compile=(nvcc -x cu -std=c++20 -O3 -DNDEBUG "-arch=$arch" --fmad=true --extra-device-vectorization --resource-usage -Xcompiler=-march=x86-64-v3)
  link=(-ldl -lpthread -lrt)
fi
compile+=(-I. -DMERGANSER_VERSION='"experiment"' "${flags[@]}")
if command -v ccache > /dev/null; then compile=(ccache "${compile[@]}"); fi
mkdir -p "$build"
# Other flags or another compiler: all anew.
if [[ $(cat "$build/command" 2> /dev/null) != "${compile[*]}" ]]; then
  rm -f "$build"/*.o
  echo "${compile[*]}" > "$build/command"
fi

# An object is out of date where its source or any header is newer.
todo=()
objects=()
for file in "${files[@]}" "$main"; do
  object=$build/${file//\//__}
  object=${object%.cpp}.o
  [[ $file == "$main" ]] || objects+=("$object")
  if [[ ! -f $object || $file -nt $object ]] || [[ -n $(find device solvers -name '*.h' -newer "$object" -print -quit) ]]; then
    todo+=("$file" "$object")
  fi
done
one() { # one SOURCE OBJECT COMMAND...
  local source=$1 object=$2
  shift 2
  "$@" -c "$source" -o "$object.new" 2> "$object.kernels" || { cat "$object.kernels" >&2; return 1; }
  grep -Ev '^ptxas info|^    [0-9]+ bytes stack frame' "$object.kernels" >&2
  mv "$object.new" "$object"
}
export -f one
if ((${#todo[@]} > 0)); then
  # shellcheck disable=SC2016 # expanded by the shell that xargs starts
  printf '%s\0' "${todo[@]}" | xargs -0 -n 2 -P "$(nproc)" bash -c 'one "${@: -2}" "${@:1:$#-2}"' experiment "${compile[@]}" ||
    die "does not compile"
fi
cat "$build"/*.o.kernels > "$build/kernels.txt"

program=$build/$(basename "$main" .cpp)
main_object=$build/${main//\//__}
rm -f "$build/sources.a" && ar crs "$build/sources.a" "${objects[@]}" # an archive: what nobody calls need not be complete
linker=(g++)
$emulated || linker=(nvcc "-arch=$arch")
"${linker[@]}" "${main_object%.cpp}.o" "$build/sources.a" "${flags[@]}" "${link[@]}" -o "$program" || die "does not link; name the sources that hold what is missing"
echo "$program: $((${#todo[@]} / 2)) of $((${#files[@]} + 1)) files compiled"
! $run || exec "$program" "$@"
