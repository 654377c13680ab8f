#!/usr/bin/env bash
# Installs everything that Merganser's build, tests, pictures and packages need: Debian packages with apt, and a
# Python virtual environment in build/venv for the tools. Safe to run again: what is there is left alone.
#
#   tools/setup.sh            install what is missing
#   tools/setup.sh --check    only report what is missing (exit code 1), install nothing
#
# Written for Debian 12. The CUDA Toolkit is not installed here: where nvcc (12.8 or newer) is there, the preset
# `cuda` builds both halves; without it the preset `cpu` builds the CPU half.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Debian packages, each with its reason.
packages=(
  g++                    # the C++20 compiler, with OpenMP
  cmake                  # the build system, 3.25 or newer
  ninja-build            # the generator that the presets name
  ccache                 # building again after a checkout takes seconds
  git                    # the commit that benchmarks and packages carry
  clang-format           # the code style that continuous integration checks (version 14)
  clang-tidy             # the faults that continuous integration looks for in changed files (version 14)
  libthrust-dev          # Thrust on OpenMP: the CPU half's stable sort (the CUDA half takes the Toolkit's)
  libcli11-dev           # the command line
  nlohmann-json3-dev     # scene files, summaries, benchmark results
  libhdf5-dev            # frames (VTKHDF) and checkpoints
  zlib1g-dev             # CRC-32 of checkpoints
  libfmt-dev             # error messages
  libeigen3-dev          # small host algebra, oracles in tests
  libmetis-dev           # fill-reducing orderings of the sparse Cholesky
  libopenblas-dev        # BLAS: dense fronts of the sparse Cholesky on the CPU
  liblapacke-dev         # LAPACK's C interface: the same
  libopenvdb-dev         # closed mesh -> signed distance, level sets
  libboost-iostreams-dev # Boost, which OpenVDB's headers include and its CMake file asks for
  libgtest-dev           # the tests
  patchelf               # package.sh: libraries that are found relative to the executable
  python3-venv           # the virtual environment of the Python tools
  libegl1                # OpenGL without a display, for pictures
  libgl1-mesa-dri        # OpenGL in software where there is no graphics card
)

check_only=false
for argument; do
  case $argument in
    --check) check_only=true ;;
    -h | --help) usage; exit 0 ;;
    *) bad_usage "unknown option '$argument'" ;;
  esac
done

# What is missing?
if ! command -v apt-get > /dev/null; then
  die "this is no Debian system (no apt-get). Install these packages' counterparts, then and the Python
packages of tools/requirements.txt into a virtual environment build/venv:
$(printf '  %s\n' "${packages[@]}")"
fi
missing=()
for package in "${packages[@]}"; do
  # shellcheck disable=SC2016 # ${db:Status-Abbrev} is dpkg-query's, not the shell's
  [[ $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2> /dev/null) == ii* ]] || missing+=("$package")
done
venv=build/venv
stamp=$venv/merganser-packages.txt # written last: its presence means that the environment is complete
venv_contents() { cat tools/requirements.txt && /usr/bin/python3 --version; }
venv_ready() { [[ -x $venv/bin/python && -f $stamp ]] && venv_contents | cmp -s - "$stamp"; }

if $check_only; then
  result=0
  ((${#missing[@]} == 0)) || { echo "setup: missing Debian packages: ${missing[*]}"; result=1; }
  venv_ready || { echo "setup: $venv is missing or out of date"; result=1; }
  ((result != 0)) || echo "setup: everything is in place"
  exit $result
fi

# Debian packages.
if ((${#missing[@]} > 0)); then
  as_root=()
  if ((EUID != 0)); then
    command -v sudo > /dev/null || die "only root may install packages, and there is no sudo. Ask an administrator to run
  apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  echo "setup: installing ${missing[*]}"
  "${as_root[@]}" apt-get update -q || die "apt-get update failed; see its message above"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" ||
    die "apt-get could not install ${missing[*]}; see its message above"
fi

# Python tools. The distribution's Python, whatever else the PATH offers: the pinned versions were tried with it.
if ! venv_ready; then
  echo "setup: making the Python environment $venv"
  rm -rf "$venv"
  mkdir -p build
  /usr/bin/python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: -r tools/requirements.txt ||
    die "pip could not install tools/requirements.txt; is the Python package index within reach?"
  venv_contents > "$stamp"
fi
echo "setup: everything is in place"
