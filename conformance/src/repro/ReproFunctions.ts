const start = `set -u
LC_ALL=C
export LC_ALL
umask 077
dir=${"$"}{TMPDIR:-/tmp}/wcs-repro.$$
again=0
unsure=0`

/** Sends requests with curl. */
const asking = (
  curlOptions: ReadonlyArray<string>
): string => String.raw`# ask NUMBER CURL-ARGUMENTS: sends a request and stores the response under its number
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

status() { cat "$dir/$1.status"; }`

/** Reads responses. */
const reading = String.raw`# text NUMBER: the body of a response in one line
text() { tr -d '\000-\037\177' <"$dir/$1.body"; }

header() { tr -d '\000-\011\013-\037\177' <"$dir/$1.headers" | grep -i "^$2:" | tail -n 1 | sed 's/^[^:]*: *//'; }

# value NUMBER KEY N: the value of the Nth member with that key in a response, as JSON
value() {
  text "$1" | sed -n "s/\"$2\" *: */\\
/$3
s/^.*\n//
t found
d
:found
s/^\(\"[^\"]*\"\).*/\1/
t done
s/^\([^],}]*\).*/\1/
:done
p"
}

# id NUMBER KEY N: the same value without quotation marks
id() { value "$1" "$2" "$3" | sed 's/^"\(.*\)"$/\1/'; }

# count NUMBER KEY: the number of members with that key in a response
count() { text "$1" | awk -v key="\"$2\" *:" '{ print gsub(key, "") }'; }`

/** Tokens and other texts. */
const texts = String.raw`more() { if [ "${"$"}{1:-0}" -gt "${"$"}{2:-0}" ]; then echo yes; else echo no; fi; }

# part N TOKEN: one part of a JWT
part() { printf '%s' "$2" | cut -d . -f "$1"; }

# first N TEXT, last N TEXT: the first or last N bytes
first() { printf '%s' "$2" | cut -b "1-$1"; }
last() { printf '%s' "$2" | tail -c "$1"; }

# swapped_case TEXT: small letters as capitals, and capitals as small letters
swapped_case() { printf '%s' "$1" | tr 'A-Za-z' 'a-zA-Z'; }

form_encoded() { printf '%s' "$1" | od -A n -v -t x1 | tr -d ' \n' | sed 's/../%&/g'; }

# token_of CLIENT-ID CLIENT-SECRET ROOT
token_of() {
  ask token --data-urlencode grant_type=client_credentials --data-urlencode "client_id=$1" \
    --data-urlencode "client_secret=$2" "$3/oauth/token" >/dev/null
  id token access_token 1
}`

/** Prerequisites of a check. */
const requirements = String.raw`give_up() {
  printf '%s; no result\n' "$1" >&2
  exit 2
}

# built_on NUMBER: exits unless this prerequisite succeeded
built_on() {
  case $(status "$1") in 2??) ;; *) give_up "#$1 failed" ;; esac
}`

/** Comparisons, which answer yes, no or unknown. */
const comparing = `# like TEXT PATTERN...: whether the text matches one of the patterns
like() {
  found=$1
  shift
  for pattern; do
    case $found in $pattern) echo yes && return ;; esac
  done
  echo no
}

# equal TEXT OTHER...: whether the text equals one of the others
equal() {
  found=$1
  shift
  for other; do
    if [ "$found" = "$other" ]; then echo yes && return; fi
  done
  echo no
}

contains() { case $1 in *"$2"*) echo yes ;; *) echo no ;; esac; }

opposite() { case $1 in yes) echo no ;; no) echo yes ;; *) echo unknown ;; esac; }

# grown COUNT OF-THE-RUN: yes if there is more than in the run, again if there is as much
grown() { if [ "$1" -gt "$2" ]; then echo yes; elif [ "$1" -eq "$2" ]; then echo again; else echo unknown; fi; }

# same TEXT OTHER: "again" if the text equals the text of the run; otherwise unknown
same() { if [ "$1" = "$2" ]; then echo again; else echo unknown; fi; }`

/** The outcome of an expectation. */
const checking = String.raw`# shown TEXT: the text without tokens and secrets
shown() {
  printf '%s' "$1" | sed -e 's/\("[A-Za-z_]*[Tt]oken" *: *"\)[^"]*/\1.../g' \
    -e 's/\("[A-Za-z_]*[Ss]ecret" *: *"\)[^"]*/\1.../g' | cut -c 1-300
}

# check WHERE EXPECTED GOT NOW MET: prints one expectation and counts its outcome
check() {
  printf '\n%s\n  expected:    %s\n  the run got: %s\n  now:         %s\n' "$1" "$2" "$3" "$(shown "$4")"
  case $5 in
    yes) echo '  as expected' ;;
    no) again=$((again + 1)) && echo '  NOT as expected' ;;
    again) again=$((again + 1)) && echo '  as the run got it' ;;
    *) unsure=$((unsure + 1)) && echo '  compare for yourself' ;;
  esac
}`

/** The functions at the start of every script. They need only sh, curl and sed. */
export const reproFunctions = (curlOptions: ReadonlyArray<string>): string =>
  [start, asking(curlOptions), reading, texts, requirements, comparing, checking].join("\n\n")
