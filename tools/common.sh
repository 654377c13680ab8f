# Shared by the scripts in tools/; sourced, not run. Goes to the repository's root and offers:
#   usage        print the calling script's header comment
#   die MESSAGE  print to standard error, leave with exit code 1
#   bad_usage M  the same with exit code 2 (a wrong option)
#   have_nvcc    true where the CUDA compiler is there;  have_gpu: and an NVIDIA GPU as well
# shellcheck shell=bash
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
script=$(basename "$0")

usage() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "tools/$script"; }
die() { echo "${script%.sh}: $*" >&2; exit 1; }
bad_usage() { echo "${script%.sh}: $* (see tools/$script -h)" >&2; exit 2; }

# The Toolkit's own place, for shells whose PATH does not name it.
if ! command -v nvcc > /dev/null && [[ -x /usr/local/cuda/bin/nvcc ]]; then PATH=$PATH:/usr/local/cuda/bin; fi
have_nvcc() { command -v nvcc > /dev/null; }
have_gpu() { have_nvcc && command -v nvidia-smi > /dev/null && nvidia-smi -L 2> /dev/null | grep -q GPU; }
