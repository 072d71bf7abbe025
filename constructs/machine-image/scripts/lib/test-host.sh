# shellcheck shell=bash disable=SC2153,SC2317,SC2329 # image-test calls these by name
# What every instance of an image has to be. Each function fails with what is wrong.

FAILED=()

# try WHAT FUNCTION: in a shell of its own, so that one failure does not hide another. It is not part of a condition,
# under which bash would go on after a failure.
try() {
  local status=0
  ("$2") &
  wait $! || status=$?
  if ((status == 0)); then
    log "good: $1"
  else
    FAILED+=("$1")
    log "NOT GOOD: $1"
  fi
}

verdict() {
  ((${#FAILED[@]} == 0)) ||
    die "$EXIT_ERROR" "the image is not to be used; ${#FAILED[@]} tests failed: $(printf '%s; ' "${FAILED[@]}")"
  log 'the image is good'
}

wrong() {
  log "$*"
  exit 1
}

test_kernel() {
  local found
  found=$(uname -r)
  [[ -z $KERNEL || $found == "$KERNEL" ]] || wrong "the kernel is $found, not $KERNEL"
}

test_machine_id() {
  local build=$ROOT/usr/share/cdk-sas-grid/build-machine-id
  [[ -s $ROOT/etc/machine-id ]] || wrong '/etc/machine-id is empty after the boot'
  [[ ! -e $build ]] || ! cmp -s "$build" "$ROOT/etc/machine-id" || wrong 'the instance has the machine id of the build'
}

# The programs are tried where they lie: user data copies them from there.
test_software() {
  local sum folder program
  sum=$(setting HOST_SOFTWARE) folder=$ROOT/usr/share/cdk-sas-grid/$sum
  [[ -d $folder ]] || wrong "/usr/share/cdk-sas-grid/$sum is missing"
  verify_software "$folder" "$sum" || wrong "the files in ${folder#"$ROOT"} are $FOUND"
  for program in "$ROOT"/usr/share/cdk-sas-grid/*/bin/*; do
    case $(head -n 1 "$program") in
      *bash*) bash -n "$program" || wrong "bash does not understand ${program#"$ROOT"}" ;;
    esac
    # One that knows no --help must not begin to work.
    ! grep -q -- --help "$program" || timeout 30 "$program" --help >/dev/null </dev/null ||
      wrong "${program#"$ROOT"} --help fails"
  done
}

test_agent() {
  agent_is_right || wrong "the agent is '$(agent_version)', but $(setting AGENT_MINIMUM 0) or newer is wanted"
  systemctl is-active --quiet amazon-ssm-agent.service || wrong 'the agent does not run'
}

test_units() {
  local failed
  failed=$(systemctl list-units --state=failed --plain --no-legend 'sas-grid-*' 'amazon-ssm-agent*' | awk '{print $1}')
  [[ -z $failed ]] || wrong "failed: $failed"
}

ask_dnf() {
  timeout 300 dnf -q ${ROOT:+--installroot="$ROOT"} --disableplugin=local "$@"
}

# Only where repositories answer; an instance of a test may have no way to them.
test_hold() {
  local offered
  [[ -n $KERNEL ]] || return 0
  grep -qE '^excludepkgs=(.* )?kernel\*( |$)' "$ROOT/etc/dnf/dnf.conf" ||
    wrong '/etc/dnf/dnf.conf does not exclude kernel*'
  if ! ask_dnf --setopt=skip_if_unavailable=False --setopt=timeout=10 --setopt=retries=1 makecache &>/dev/null; then
    log 'no repository answers, so what dnf would offer is not known'
    return 0
  fi
  offered=$(ask_dnf --assumeno check-update 'kernel*' 2>&1 || [[ $? -eq 100 ]])
  ! grep -q '^kernel' <<<"$offered" || wrong "dnf offers: $offered"
}

test_clients() {
  local tool
  # What the file systems are mounted with: NFS always, Lustre where the image has it.
  type -P mount.nfs4 >/dev/null || wrong 'mount.nfs4 is missing: nfs-utils is not installed'
  if [[ -n $(wanted lustre) ]]; then
    check_lustre client
    type -P mount.lustre >/dev/null || wrong 'mount.lustre is missing: lustre-client is not installed'
  fi
  for tool in mdadm mkfs.xfs; do
    type -P "$tool" >/dev/null || wrong "$tool is missing: the temporary space needs it"
  done
}
