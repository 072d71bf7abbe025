#!/bin/sh
# Does what DHCP and cloud-init do on EC2: the first interface's address, and at the first boot the host name. Both come
# with the kernel's command line: lab.name, lab.mac, lab.address, lab.router. Other interfaces are left alone.
set -eu

read -r words </proc/cmdline
for word in $words; do
  case $word in
    lab.name=*) name=${word#*=} ;;
    lab.mac=*) mac=${word#*=} ;;
    lab.address=*) address=${word#*=} ;;
    lab.router=*) router=${word#*=} ;;
  esac
done

if [ ! -e /etc/hostname ]; then
  echo "$name" >/etc/hostname
fi
cat /etc/hostname >/proc/sys/kernel/hostname

ip link set lo up
tries=0
until device=$(grep -lx "$mac" /sys/class/net/*/address); do
  tries=$((tries + 1))
  [ "$tries" -lt 300 ] || exit 1
  sleep 0.1
done
device=${device%/address}
device=${device##*/}
ip link set dev "$device" mtu 9001 up
ip address replace "$address" dev "$device"
ip route replace default via "$router"
