# shellcheck shell=bash
# What an image must not bring to its hosts, on every system.

# What a test on an instance of the image compares with.
remember_build() {
  local file=$ROOT/usr/share/cdk-sas-grid/build-machine-id
  [[ ! -s $ROOT/etc/machine-id ]] || write_file "$file" <"$ROOT/etc/machine-id"
}

# The file has to be there and empty: systemd then makes one at the first boot, and knows that it is the first.
clean_identity() {
  rm -f "$ROOT"/etc/hostid "$ROOT"/etc/nvme/{hostnqn,hostid} "$ROOT"/etc/ssh/ssh_host_*_key{,.pub} \
    "$ROOT"/var/lib/dbus/machine-id "$ROOT"/var/lib/systemd/{random-seed,credential.secret} \
    "$ROOT"/var/lib/nfs/{state,rmtab,etab,nfsdcltrack/main.sqlite,nfsdcld/main.sqlite} \
    "$ROOT"/etc/iscsi/initiatorname.iscsi
  rm -rf "$ROOT"/etc/lvm/devices/* "$ROOT"/etc/lvm/{backup,archive}/* "$ROOT"/var/lib/nfs/sm{,.bak}/*
  : >"$ROOT/etc/machine-id"
  log 'removed: machine id, host keys, and ids of NVMe, NFS, iSCSI and LVM'
}

# Host names by DHCP, leases and connections are the build's; those of a package are in /usr/lib.
clean_network() {
  rm -f "$ROOT"/etc/NetworkManager/system-connections/*.nmconnection "$ROOT"/etc/NetworkManager/conf.d/sas-grid.conf \
    "$ROOT"/var/lib/NetworkManager/*{.lease,-state,seen-bssids,timestamps,secret_key} \
    "$ROOT"/var/lib/dhclient/*.lease* "$ROOT"/etc/systemd/network/00-sas-grid.network \
    "$ROOT"/etc/udev/rules.d/70-persistent-*.rules "$ROOT"/etc/hostname
  log 'removed: connections, leases, host name'
}

# homes: prints root's and everybody's.
homes() {
  printf '%s\n' "$ROOT/root" "$ROOT"/home/*
}

clean_accounts() {
  local home
  while read -r home; do
    rm -f "$home"/.ssh/{authorized_keys,known_hosts,id_*} "$home"/.{bash,python,sqlite}_history \
      "$home"/.{lesshst,viminfo}
    rm -rf "$home"/.{aws,gnupg,cache}
  done < <(homes)
  log 'removed: keys and histories of accounts'
}

# Where the agent keeps what it is to Systems Manager. What it keeps of commands goes at the next boot, before it
# starts: this build is one of them.
clean_agent() {
  local folder=/var/lib/amazon/ssm
  rm -rf "$ROOT$folder/Vault" "$ROOT$folder/registration" "$ROOT"/var/log/amazon/ssm/*
  [[ -z $INSTANCE ]] || printf 'R! %s\n' "$folder/$INSTANCE" | write_file "$ROOT/etc/tmpfiles.d/sas-grid-image.conf"
  log "removed: the agent's registration"
}

clean_state() {
  rm -rf "$ROOT/etc/sas-grid" "$ROOT/run/sas-grid"
  rm -f "$ROOT/etc/systemd/system/multi-user.target.wants"/sas-grid-*
  log 'removed: state of roles'
}

# Journal and logs: files that services hold open are emptied. The component's own output is not in these.
clean_logs() {
  rm -rf "$ROOT"/var/log/journal/* "$ROOT"/var/tmp/* "$ROOT"/tmp/sas-grid-*
  find "$ROOT/var/log" -type f \( -name '*.gz' -o -name '*.[0-9]' -o -name '*-[0-9]*' \) -delete
  find "$ROOT/var/log" -type f -exec truncate -s 0 {} +
  log 'removed: logs'
}

clean_cloud_init() {
  ! type -P cloud-init >/dev/null || cloud-init clean --logs --seed >&2
  log 'cloud-init begins anew'
}

# The caller's clean_packages is what differs between systems.
clean_all() {
  remember_build
  clean_cloud_init
  clean_packages
  clean_identity
  clean_network
  clean_accounts
  clean_agent
  clean_state
  clean_logs
  rm -rf "$WORK"
  sync
  log 'the image is clean; the folder of the build is removed'
}
