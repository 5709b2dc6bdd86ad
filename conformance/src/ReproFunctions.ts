/** What every script begins with: how it asks, and how it reads what comes back, with nothing but sh, curl and sed. */
export const reproFunctions = (curlOptions: ReadonlyArray<string>): string => String.raw`set -u
LC_ALL=C
export LC_ALL
umask 077
dir=${"$"}{TMPDIR:-/tmp}/wcs-repro.$$
again=0
unsure=0

# ask NUMBER CURL-ARGUMENTS: sends a request and keeps what comes of it under its number
ask() {
  number=$1
  shift
  : >"$dir/$number.body"
  : >"$dir/$number.headers"
  curl -q --silent --show-error --http1.1 --globoff --path-as-is --max-time 60 ${curlOptions.join(" ")} \
    --header Expect: --output "$dir/$number.body" --dump-header "$dir/$number.headers" \
    --write-out '%{http_code}' "$@" >"$dir/$number.status"
  echo "#$number: $(status "$number")"
}

status() { cat "$dir/$1.status"; }

# text NUMBER: an answer's body in one line
text() { tr -d '\000-\037\177' <"$dir/$1.body"; }

header() { tr -d '\000-\011\013-\037\177' <"$dir/$1.headers" | grep -i "^$2:" | tail -n 1 | sed 's/^[^:]*: *//'; }

# value NUMBER KEY N: what stands at the Nth member of that key in an answer, a text without its quotation marks
value() {
  text "$1" | sed -n "s/\"$2\" *: */\\
/$3
s/^.*\n//
t found
d
:found
s/^\"\([^\"]*\)\".*/\1/
t done
s/^\([^],}]*\).*/\1/
:done
p"
}

# part N TOKEN: one part of a JWT
part() { printf '%s' "$2" | cut -d . -f "$1"; }

# changed TOKEN: one that differs from it in a character that matters
changed() {
  case $1 in
    A*) printf 'B%s' "${"$"}{1#?}" ;;
    *) printf 'A%s' "${"$"}{1#?}" ;;
  esac
}

# token_of CLIENT-ID CLIENT-SECRET ORIGIN
token_of() {
  ask token --data-urlencode grant_type=client_credentials --data-urlencode "client_id=$1" \
    --data-urlencode "client_secret=$2" "$3/openapi/v1/oauth/token" >/dev/null
  value token access_token 1
}

give_up() {
  printf '%s; nothing can be said\n' "$1" >&2
  exit 2
}

# built_on NUMBER: what all the rest needs was carried out
built_on() {
  case $(status "$1") in 2??) ;; *) give_up "#$1 was not carried out" ;; esac
}

# like TEXT PATTERN...: whether it is like one of them
like() {
  found=$1
  shift
  for pattern; do
    case $found in $pattern) echo yes && return ;; esac
  done
  echo no
}

# equal TEXT OTHER...: whether it is one of them
equal() {
  found=$1
  shift
  for other; do
    if [ "$found" = "$other" ]; then echo yes && return; fi
  done
  echo no
}

opposite() { case $1 in yes) echo no ;; no) echo yes ;; *) echo unknown ;; esac; }

# same TEXT OTHER: "no", it is not as expected, where it is what the run got; else nobody can tell
same() { if [ "$1" = "$2" ]; then echo no; else echo unknown; fi; }

# check WHERE EXPECTED GOT NOW MET: tells one expectation
check() {
  printf '\n%s\n  expected:    %s\n  the run got: %s\n  now:         %s\n' "$1" "$2" "$3" "$(printf '%s' "$4" | cut -c 1-300)"
  case $5 in
    yes) echo '  as expected' ;;
    no) again=$((again + 1)) && echo '  NOT as expected' ;;
    *) unsure=$((unsure + 1)) && echo '  compare for yourself' ;;
  esac
}`
