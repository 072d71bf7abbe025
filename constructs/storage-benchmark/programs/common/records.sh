# shellcheck shell=bash disable=SC2034,SC2154
# What a program of the benchmark says: lines that begin with a mark and go on with JSON
# (lambda/shared/benchmark/observations.ts), and between them the output of tools as it is.

MARK='##sas-grid-benchmark'

# Everything lies under another root in tests, and on the hosts of the embedded AWS.
ROOT=${SAS_GRID_ROOT:-}

# Tools say everything in one language.
export LC_ALL=C

readonly EXIT_USAGE=64 EXIT_REFUSED=75

# json TEXT: prints it as a JSON string.
json() {
  local text=$1 backslash=$'\\' quote='"' character out='' n
  text=${text//"$backslash"/"$backslash$backslash"}
  text=${text//"$quote"/"$backslash$quote"}
  text=${text//$'\n'/"${backslash}n"}
  text=${text//$'\t'/"${backslash}t"}
  if [[ $text == *[[:cntrl:]]* ]]; then
    for ((n = 0; n < ${#text}; n++)); do
      character=${text:n:1}
      [[ $character != [[:cntrl:]] ]] || printf -v character '\\u%04x' "'$character"
      out+=$character
    done
    text=$out
  fi
  printf '"%s"' "$text"
}

# record KIND [NAME=TEXT | NAME:=JSON]...: a line of its own. What is empty is not known, and left out.
record() {
  local line field name value
  line="\"kind\":$(json "$1")"
  shift
  for field; do
    name=${field%%=*} value=${field#*=}
    [[ -n $value ]] || continue
    [[ $name == *: ]] || value=$(json "$value")
    line+=",\"${name%:}\":$value"
  done
  printf '%s {%s}\n' "$MARK" "$line"
}

note() {
  record note "text=$*"
}

# raw FILE FIELD...: the output of a tool, with a line's end if it lacks one.
raw() {
  local file=$1
  shift
  record raw "$@"
  awk 1 "$file" 2>/dev/null
}

# refuse REASON TEXT...: the test is not done, or not to its end, so that it does no harm.
refuse() {
  local reason=$1
  shift
  record refused "reason=$reason" "text=$*"
  exit "$EXIT_REFUSED"
}

# give_up TEXT...: something failed that has nothing to do with what is measured.
give_up() {
  note "$*"
  printf '%s\n' "$*" >&2
  exit 1
}

# bad_parameter TEXT...: the document allows what the program does not.
bad_parameter() {
  note "$*"
  printf '%s\n' "$*" >&2
  exit "$EXIT_USAGE"
}

# parameter NAME: prints the value of a parameter of the document.
parameter() {
  local variable=SG_$1
  printf '%s' "${!variable:-}"
}

# number NAME LEAST MOST: checks that a parameter is a whole number.
number() {
  local value
  value=$(parameter "$1")
  [[ $value =~ ^(0|[1-9][0-9]{0,14})$ && $value -ge $2 && $value -le $3 ]] ||
    bad_parameter "$1 is '$value'; it has to be a whole number from $2 to $3"
}

# word NAME PATTERN WHAT: checks a parameter against an extended regular expression.
word() {
  local value
  value=$(parameter "$1")
  [[ $value =~ ^($2)$ ]] || bad_parameter "$1 is '$value'; it has to be $3"
}

# now: seconds since 1970, with fractions.
now() {
  date +%s.%N
}

# new_enough MAJOR MINOR: whether this version of bash has what the programs use: an array that is empty is an error to older ones with "set -u",
# and those of RHEL 7 and Amazon Linux 2 (4.2) cannot wait for whichever process ends first.
new_enough() {
  (($1 > 4 || ($1 == 4 && $2 >= 4)))
}

new_enough "${BASH_VERSINFO[0]}" "${BASH_VERSINFO[1]}" || refuse unsupported "this host has bash $BASH_VERSION; 4.4 or later is needed"
