#!/usr/bin/env bash
# Starts the CUDA compiler and keeps what its assembler says about every kernel (registers, stack, spills) beside the object,
# in OBJECT.kernels, for tools/kernel_resources.py. The build calls it where MERGANSER_KERNEL_RESOURCES is ON.
#
#   tools/keep_kernel_listing.sh COMPILER ARGUMENT... -o OBJECT
set -uo pipefail
case ${1:-} in -h | --help | '') awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;; esac

object=
previous=
for argument in "$@"; do
  [[ $previous != -o ]] || object=$argument
  previous=$argument
done
said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$@" 2> "$said"
code=$?
listing='^ptxas info|^    [0-9]+ bytes stack frame'
grep -Ev "$listing" "$said" >&2
if [[ $object == *.o ]] && ((code == 0)); then
  grep -E "$listing" "$said" > "$object.kernels.new"
  mv "$object.kernels.new" "$object.kernels"
fi
exit $code
