#!/bin/busybox sh
# From the initial RAM disk to the root disk. The modules are numbered in the order in which they must be loaded.
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
for module in /modules/*; do
  /bin/busybox insmod "$module"
done
until [ -b /dev/vda ]; do
  /bin/busybox sleep 0.1
done
/bin/busybox mount -t ext4 -o ro,noatime /dev/vda /root
/bin/busybox mount --move /dev /root/dev
/bin/busybox umount /proc
exec /bin/busybox switch_root /root /sbin/init
