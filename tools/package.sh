#!/usr/bin/env bash
# Makes a tarball that runs on another x86-64 Linux (AVX2) where nothing can be installed: the executable, every library it
# needs but glibc and NVIDIA's, the scenes and the Python tools. Then unpacks it elsewhere and tries it in an empty
# environment. The last lines state the oldest glibc it runs on; bin/merganser refuses on an older one.
#
#   tools/package.sh [--preset cpu|cuda] [--architectures LIST] [--with-tests] [--compress xz|gz|zst] [--limit MIB] [--skip-build]
#
#   --architectures LIST   CUDA architectures, e.g. 90 or "80-real;90-real" (default: all that this nvcc knows, and PTX)
#   --with-tests           the test binaries as well, for tools/gpu_round.sh on the other machine: of the preset cuda those of
#                          the GPU half, and only they are built
#   --compress HOW         xz (default: it finds what the executables have in common), gz or zst. Where the other machine has no xz,
#                          `python3 -m tarfile -e FILE` unpacks it
#   --limit MIB            fail where the tarball and the files of the source tree together are larger
#   --skip-build           pack what build/<preset>/bin holds
#
# Result: build/package/merganser-<version>-linux-x86_64[-cuda].tar.<xz|gz|zst>
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

preset=cpu
configure=(-UCMAKE_CUDA_ARCHITECTURES) # forget what an earlier build of the folder was limited to
with_tests=false
compress=xz
limit=
build=true
while (($# > 0)); do
  case $1 in
    --preset) preset=${2:?--preset needs a name}; shift ;;
    --architectures) configure=("-DCMAKE_CUDA_ARCHITECTURES=${2:?--architectures needs a list}"); shift ;;
    --with-tests) with_tests=true ;;
    --compress) compress=${2:?--compress needs xz, gz or zst}; shift ;;
    --limit) limit=${2:?--limit needs a number of MiB}; shift ;;
    --skip-build) build=false ;;
    -h | --help) usage; exit 0 ;;
    *) bad_usage "unknown option '$1'" ;;
  esac
  shift
done
[[ $preset == cpu || $preset == cuda ]] || bad_usage "--preset $preset: a package is made of cpu or cuda"
case $compress in
  xz) compressor="xz -9" ;; # one thread: one window of 64 MiB over all files
  gz) compressor="gzip -9" ;;
  zst) compressor="zstd -19 --long=27 -q" ;;
  *) bad_usage "--compress $compress: xz, gz or zst" ;;
esac
command -v "${compressor%% *}" > /dev/null || die "no ${compressor%% *}, which --compress $compress needs"
[[ -z $limit || $limit =~ ^[0-9]+$ ]] || bad_usage "--limit $limit: a whole number of MiB"
command -v patchelf > /dev/null || die "no patchelf; tools/setup.sh installs it"

if $build; then
  cmake --preset "$preset" "${configure[@]}"
  targets=()
  if [[ $preset == cuda ]] && $with_tests; then
    targets=(--target merganser merganser_openvdb {kernel,determinism,backends,scene,physics}_tests_gpu)
  fi
  cmake --build --preset "$preset" "${targets[@]}"
fi
built=build/$preset/bin
[[ -x $built/merganser ]] || die "no $built/merganser; run without --skip-build"

version=$(sed -n 's/^project(merganser VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=merganser-$version-linux-x86_64
[[ $preset == cpu ]] || name+=-cuda
root=build/package/$name
rm -rf "$root"
mkdir -p "$root/bin" "$root/lib" "$root/libexec" "$root/tools"

cp "$built/merganser" "$root/libexec/"
cp "build/$preset"/lib/*.so "$root/lib/" # loaded on demand
if $with_tests; then
  pattern="*_tests_*"
  [[ $preset == cpu ]] || pattern="*_tests_gpu"
  find "$built" -maxdepth 1 -type f -perm -u+x -name "$pattern" -exec cp {} "$root/bin/" \;
  for reference in shared/reference ../shared/reference; do # published numbers that some tests read
    if [[ -d $reference && ! -d $root/shared ]]; then mkdir "$root/shared" && cp -r "$reference" "$root/shared/"; fi
  done
fi
cp -r scenes "$root/"
cp tools/{render.py,plot.py,plot_*.py,compare_runs.py,run_*.py,scene_*.py,surface_folder.py,particle_picture.py,picture_*.py,progress.py,requirements.txt,gpu_round.sh,gpu_round_stages.sh,gpu_round_tests.py,common.sh} "$root/tools/"
cp -r tools/batch "$root/tools/"
for file in README.md LICENSE; do [[ ! -f $file ]] || cp "$file" "$root/"; done

# Not packed: glibc belongs to the kernel and the loader of the other machine, NVIDIA's libraries to its driver and Toolkit.
glibc='^(linux-vdso|ld-linux[^/]*|libc|libm|libmvec|libpthread|libdl|librt|libutil|libresolv|libanl)\.so'
nvidia='^(libcuda|libcudart|libcublas|libcublasLt|libcusolver|libcusparse|libcurand|libcufft|libnvJitLink|libnvrtc|libnvidia-[a-z]*)\.so'

# ldd lists the whole closure: "name => path (address)", or "name => not found".
needed() { ldd "$@" | awk '$2 == "=>" { print $1, ($3 == "not" ? "-" : $3) }' | sort -u; }
needed "$root"/libexec/* "$root"/bin/* "$root"/lib/* | while read -r library path; do
  if [[ $library =~ $glibc || $library =~ $nvidia ]]; then continue; fi
  [[ $path != - ]] || die "$library, which merganser needs, is not found on this machine"
  cp -L "$path" "$root/lib/$library"
done
chmod -R u+w "$root"
strip --strip-unneeded "$root"/libexec/* "$root"/bin/* "$root"/lib/*
# DT_RPATH, not RUNPATH: on clusters LD_LIBRARY_PATH often names other builds of the same libraries.
rpath="\$ORIGIN/../lib"
[[ $preset == cpu ]] || rpath+=":/usr/local/cuda/lib64" # where NVIDIA's Toolkit installs itself
for file in "$root"/{libexec,bin}/*; do patchelf --force-rpath --set-rpath "$rpath" "$file"; done
for file in "$root"/lib/*; do patchelf --force-rpath --set-rpath "\$ORIGIN" "$file"; done

# The launcher comes last, for it is no executable that the lines above could read.
oldest_glibc=$(objdump -T "$root"/libexec/* "$root"/bin/* "$root"/lib/* | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
oldest_glibc=${oldest_glibc#GLIBC_}
sed "s/@GLIBC@/$oldest_glibc/" tools/package_launcher.sh > "$root/bin/merganser"
chmod +x "$root/bin/merganser"

tarball=build/package/$name.tar.$compress
tar -C build/package --sort=name --owner=0 --group=0 -I "$compressor" -cf "$tarball" "$name"

# Does it stand alone?
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
tar -C "$trial" -xf "$tarball"
foreign=$(env -i PATH=/usr/bin:/bin ldd "$trial/$name"/libexec/* "$trial/$name"/lib/libmerganser_* | awk -v here="$trial/" '
  $2 == "=>" && index($3, here) != 1 { print $1, $3 }' | sort -u |
  while read -r library path; do
    [[ $library =~ $glibc || $library =~ $nvidia ]] || echo "  $library => $path"
  done)
[[ -z $foreign ]] || die "the package takes libraries from this machine:
$foreign"
env -i "$trial/$name/bin/merganser" --version || die "the packed executable does not start in an empty environment"
tetrahedron=$trial/tetrahedron.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' > "$tetrahedron"
env -i "$trial/$name/bin/merganser" sample "$tetrahedron" --spacing 0.1 -o "$trial/points.csv" > /dev/null ||
  die "the packed executable does not find its libraries"

outside=$(needed "$root/libexec/merganser" | awk '{ print $1 }' | grep -E "$nvidia" | tr '\n' ' ' || true)
[[ -z $outside ]] || echo "package: the other machine must provide: $outside"
[[ $preset == cpu ]] || echo "package: CUDA architectures: $(sed -n 's/^CMAKE_CUDA_ARCHITECTURES:[A-Z]*=//p' "build/$preset/CMakeCache.txt")"
echo "package: runs on glibc $oldest_glibc and newer"
bytes=$(stat -c %s "$tarball")
tree=$(git ls-files -z | xargs -0 cat | wc -c)
mib() { awk -v bytes="$1" 'BEGIN { printf "%.1f MiB", bytes / 1048576 }'; }
echo "$tarball ($(mib "$bytes"), $(find "$root/lib" -type f | wc -l) libraries; with the source tree $(mib $((bytes + tree))))"
if [[ -n $limit ]] && ((bytes + tree > limit << 20)); then die "larger than the limit of $limit MiB; see --compress"; fi
