# shellcheck shell=bash
# The key that signs what nobody signed. It is a secret; here it lies in memory, until the program ends.

# begin_key: the key of the secret, or a new one that is put there. Sets KEY_HOME and KEY (its fingerprint).
begin_key() {
  local status=0
  KEY_HOME=$(mktemp -d -p "${SAS_GRID_MEMORY:-/dev/shm}" sas-grid-key.XXXXXX)
  trap end_key EXIT
  export GNUPGHOME=$KEY_HOME
  python3 "$BASE/lib/store.py" secret >"$KEY_HOME/value" 2>"$KEY_HOME/said" || status=$?
  case $status in
    0) ;;
    4) make_key ;;
    *) die "$EXIT_ERROR" "cannot read the signing key's secret: $(<"$KEY_HOME/said")" ;;
  esac
  import_key
}

# shellcheck disable=SC2317,SC2329 # a trap calls it
end_key() {
  gpgconf --kill gpg-agent &>/dev/null || :
  rm -rf "$KEY_HOME"
}

quiet_gpg() {
  gpg --batch --quiet --no-tty --pinentry-mode loopback --passphrase '' "$@"
}

# Of two builds that find none, the first one's key counts: a token makes a version of a secret once.
make_key() {
  local token status=0
  quiet_gpg --gen-key 2>"$KEY_HOME/said" <<'END' || die "$EXIT_ERROR" "gpg cannot make a key: $(<"$KEY_HOME/said")"
%no-protection
Key-Type: RSA
Key-Length: 4096
Key-Usage: sign
Name-Real: cdk-sas-grid mirror of packages
Expire-Date: 0
%commit
END
  quiet_gpg --armor --export-secret-keys >"$KEY_HOME/value"
  token=$(printf '%s' "${SAS_IMAGE_SECRET:-}" | sha256sum)
  python3 "$BASE/lib/store.py" set-secret "${token%% *}" <"$KEY_HOME/value" 2>"$KEY_HOME/said" || status=$?
  [[ $status -eq 0 || $status -eq 5 ]] || die "$EXIT_ERROR" "cannot store the new signing key: $(<"$KEY_HOME/said")"
  python3 "$BASE/lib/store.py" secret >"$KEY_HOME/value"
  gpgconf --kill gpg-agent &>/dev/null || :
  rm -rf "$KEY_HOME"/{private-keys-v1.d,openpgp-revocs.d,pubring*,trustdb*}
  log 'the secret had no signing key; a new one is there now'
}

import_key() {
  local keys refuse='put an armoured OpenPGP private key without a passphrase into the secret, or empty the secret'
  grep -qxF -- '-----BEGIN PGP PRIVATE KEY BLOCK-----' "$KEY_HOME/value" ||
    die "$EXIT_REFUSED" "the secret holds no armoured private key; $refuse"
  quiet_gpg --import "$KEY_HOME/value" 2>"$KEY_HOME/said" ||
    die "$EXIT_REFUSED" "gpg cannot read the key of the secret ($(tail -n 1 "$KEY_HOME/said")); $refuse"
  rm -f "$KEY_HOME/value"
  mapfile -t keys < <(quiet_gpg --with-colons --list-secret-keys |
    awk -F: '$1 == "sec" {sec = 1} $1 == "fpr" && sec {print $10; sec = 0}')
  ((${#keys[@]} == 1)) || die "$EXIT_REFUSED" "the secret holds ${#keys[@]} private keys, which must be one; $refuse"
  KEY=${keys[0]}
  quiet_gpg --local-user "$KEY" --detach-sign </dev/null >/dev/null 2>"$KEY_HOME/said" ||
    die "$EXIT_REFUSED" "the key of the secret cannot sign ($(tail -n 1 "$KEY_HOME/said")); $refuse"
  log "packages that their maker did not sign are signed with the key $KEY"
}

# export_key FILE: its public part.
export_key() {
  quiet_gpg --armor --export "$KEY" | write_file "$1"
}

# sign_detached FILE: FILE.asc
sign_detached() {
  quiet_gpg --local-user "$KEY" --yes --armor --detach-sign "$1"
}

# signed_by_us FILE: whether FILE.asc is a signature of this key, and of no other.
signed_by_us() {
  [[ -e $1 && -e $1.asc ]] || return
  quiet_gpg --export "$KEY" >"$KEY_HOME/public"
  gpgv --quiet --keyring "$KEY_HOME/public" "$1.asc" "$1" 2>"$KEY_HOME/said"
}
