#!/bin/sh
# enter.sh ROOT BUILD CACHE COMMAND…: becomes the command, in ROOT and in a copy of this tree, /fanfold, that has BUILD for its
# build folder and CACHE for its compiler's. The tree itself is not to be written. /tmp and the network are the machine's.
set -eu
[ "${ENTERED-}" ] || ENTERED=1 exec unshare --mount -- "$0" "$@"
unset ENTERED
root=$1 build=$2 cache=$3
shift 3
mkdir -p "$root/fanfold" "$root/root/.cache/ccache" "$build" "$cache"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev/shm"
mount --bind /tmp "$root/tmp"
mount --bind -o ro "${0%/tests/packages/*}" "$root/fanfold"
mount --bind "$build" "$root/fanfold/build"
mount --bind "$cache" "$root/root/.cache/ccache"
exec chroot "$root" sh -c 'cd /fanfold && exec "$@"' sh "$@"
