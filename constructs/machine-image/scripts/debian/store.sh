# shellcheck shell=bash
# The mirror, which is a folder where SAS_IMAGE_BUCKET begins with a slash, as in the lab; and the signing key.

# stored NAME FILE: brings a file of the mirror.
stored() {
  case ${SAS_IMAGE_BUCKET:-} in
    '') return 1 ;;
    /*) cp "$SAS_IMAGE_BUCKET/$1" "$2" ;;
  esac
}

# store FILE NAME
store() {
  case ${SAS_IMAGE_BUCKET:-} in
    '') ;;
    /*) cp "$1" "$SAS_IMAGE_BUCKET/$2" ;;
  esac
}

# signing_key FOLDER: puts the key there, as gpg's home.
signing_key() {
  chmod 700 "$1"
  gpg --homedir "$1" --batch --quiet --passphrase '' --quick-generate-key 'sas-grid-image' rsa3072 sign never
}
