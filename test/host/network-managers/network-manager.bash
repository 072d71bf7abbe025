# shellcheck shell=bash disable=SC2034
# NetworkManager, with a connection by DHCP on each interface, as it makes one for each that is plugged in (RHEL's
# images).

AFTERWARDS=(reload restart first_anew)

start() {
  local device file
  printf '[main]\nplugins=keyfile\ndns=none\nrc-manager=unmanaged\n[keyfile]\nunmanaged-devices=none\n' \
    >/etc/NetworkManager/NetworkManager.conf
  mkdir -p /etc/NetworkManager/system-connections
  for device in ens5 ens6; do
    file=/etc/NetworkManager/system-connections/$device.nmconnection
    printf '[connection]\nid=%s\ntype=ethernet\ninterface-name=%s\nautoconnect=true\n' "$device" "$device" >"$file"
    printf '[ipv4]\nmethod=auto\n[ipv6]\nmethod=disabled\n' >>"$file"
    chmod 600 "$file"
  done
  begin
}

begin() {
  NetworkManager --no-daemon >>"$TMPDIR/manager" 2>&1 &
  manager=$!
  until_is settled
}

settled() {
  [[ $(nmcli -g GENERAL.STATE device show ens5 2>/dev/null) == 100* ]]
}

reload() {
  nmcli general reload
  nmcli connection reload
  until_is settled
}

restart() {
  kill "$manager"
  wait "$manager" || true
  begin
}

first_anew() {
  nmcli connection up ens5 >&2
}
