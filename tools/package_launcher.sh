#!/bin/sh
# bin/merganser of a package: starts the executable where the C library is as new as its parts need.
# package.sh puts this file there and writes the version into it.
needed=@GLIBC@
here=$(dirname "$(readlink -f "$0")")
have=$(getconf GNU_LIBC_VERSION 2> /dev/null) && have=${have#glibc } || have=0.0
if [ "${have%%.*}" -lt "${needed%%.*}" ] || { [ "${have%%.*}" -eq "${needed%%.*}" ] && [ "${have#*.}" -lt "${needed#*.}" ]; }; then
  [ "$have" = 0.0 ] && have="none"
  echo "merganser: this package needs the GNU C library (glibc) $needed or newer, this machine has $have; build from source here, or run it in a container of Debian 12 or newer" >&2
  exit 126
fi
exec "$here/../libexec/merganser" "$@"
