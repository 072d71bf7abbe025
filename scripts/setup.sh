#!/usr/bin/env bash
# Installs what the other tasks need, and nothing twice: npm packages from the lock file, a Python virtual
# environment with the pinned requirements, the Lambda bundles. Safe to run again at any time.
# With --template-checks also what 'make test' checks the templates with, in an environment of its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'setup: %s\n' "$*" >&2; }
fail() {
  printf 'setup: %s\n' "$*" >&2
  exit 1
}

command -v node >/dev/null || fail "node is not on the PATH; install Node.js 20 or newer"
command -v npm >/dev/null || fail "npm is not on the PATH; it comes with Node.js"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' ||
  fail "Node.js is $(node --version); 20 or newer is needed"

# The Python that makes the virtual environment: 3.10 is the oldest that the embedded AWS supports.
python=""
for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11 python3.10; do
  if [[ -n $candidate ]] && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[[ -n $python ]] ||
  fail "no Python 3.10 or newer is on the PATH; install one, or name it: PYTHON=/path/to/python3 make ..."

# A package manager can only be used by root; others are told what to type.
install_system_package() {
  local package=$1
  if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
    say "installing the system package $package"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$package" >/dev/null
  elif [[ $(id -u) -eq 0 ]] && command -v dnf >/dev/null; then
    say "installing the system package $package"
    dnf install -y -q "$package"
  else
    return 1
  fi
}

stamp_of() { cat "$@" | cksum; }

node_stamp=$(stamp_of package.json package-lock.json)
if [[ ! -d node_modules || $(cat node_modules/.setup-stamp 2>/dev/null || true) != "$node_stamp" ]]; then
  say "installing npm packages (about half a minute)"
  npm ci --no-audit --no-fund --loglevel=error
  printf '%s' "$node_stamp" >node_modules/.setup-stamp
fi

# Makes the virtual environment in a folder when its requirements have changed.
python_environment() {
  local folder=$1 python_stamp made_with
  shift
  python_stamp=$(
    "$python" --version
    stamp_of "$@"
  )
  made_with=$(cat "$folder/.setup-stamp" 2>/dev/null || true)
  if [[ -x $folder/bin/python && $made_with == "$python_stamp" ]]; then return; fi
  say "making the Python virtual environment $folder (about half a minute)"
  rm -rf "$folder"
  if ! "$python" -m venv "$folder" 2>/dev/null; then
    rm -rf "$folder"
    install_system_package python3-venv ||
      fail "$python cannot make virtual environments; install the package python3-venv and try again"
    "$python" -m venv "$folder"
  fi
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "${@/#/--requirement=}"
  printf '%s' "$python_stamp" >"$folder/.setup-stamp"
}

python_environment .venv proof/localcloud/requirements.txt proof/localcloud/requirements-dev.txt
if [[ ${1:-} == --template-checks ]]; then python_environment .venv-templates test/templates/requirements.txt; fi

# is_current STAMP FILE...: whether neither these files nor a source that went into the bundle is newer than the stamp,
# which names the sources.
is_current() {
  local stamp=$1
  [[ -f $stamp ]] || return 1
  # shellcheck disable=SC2046 # a path each; none has a space
  [[ -z $(find $(cat "$stamp") "${@:2}" -type f -newer "$stamp" 2>/dev/null | head -n 1) ]]
}

# A folder is named for what may be new in it: a function.
if ! is_current build/lambda/.stamp lambda scripts/bundle-lambdas.mjs scripts/schema-keys.js package-lock.json; then
  say "bundling the Lambda functions"
  node scripts/bundle-lambdas.mjs >/dev/null
fi

if ! is_current build/cli/.stamp scripts/bundle-cli.mjs package.json package-lock.json; then
  say "bundling the command cdk-sas-grid"
  node scripts/bundle-cli.mjs >/dev/null
fi

node scripts/input-table.js
