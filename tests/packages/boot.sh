#!/bin/bash
# boot.sh NAME LOWER FOLDER CGROUPS: this process becomes the machine NAME: a root of FOLDER over LOWER, and its own
# systemd. It is called in the machine's network, and in namespaces that are nobody else's.
set -euo pipefail
name=$1 lower=$2 folder=$3 cgroups=$4
root=$folder/root
[[ $$ == 1 ]] || {
  mkdir -p "$cgroups/$name" "$folder/upper" "$folder/work" "$root"
  echo $$ > "$cgroups/$name/cgroup.procs"
  echo $$ > "$folder/outer"
  exec unshare --mount --pid --fork --kill-child --uts --ipc --cgroup -- "$0" "$@"
}
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$folder/upper,workdir=$folder/work" "$root"
cd "$root"
echo "$name" > etc/hostname
[[ -s etc/machine-id && -e "$folder/named" ]] || tr -d - < /proc/sys/kernel/random/uuid > etc/machine-id
touch "$folder/named"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/shm dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
node() { mknod -m 666 "dev/$1" c "$2" "$3"; }
node null 1 3; node zero 1 5; node full 1 7; node random 1 8; node urandom 1 9; node tty 5 0
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
hostname "$name"
# A process whose root is not that of its mounts may make no users' namespaces, as PrivateUsers= does.
pivot_root . mnt
exec chroot . env -i container=fanfold PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  sh -c 'umount -l /mnt && exec /lib/systemd/systemd --unit=multi-user.target --show-status=no' < /dev/null
