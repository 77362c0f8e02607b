# For tests in shell: runs a command as its user would and ends the test, with what the command printed, unless it did
# what was expected. To be sourced.

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

# expect TEXT COMMAND...: the command succeeds and its output has TEXT.
expect() {
  local text=$1 output
  shift
  output=$("$@" 2>&1) || fail "$* ended with $?: $output"
  grep -qF -- "$text" <<<"$output" || fail "$* should say '$text', said: $output"
}

# expect_failure STATUS TEXT COMMAND...: it ends with this status and its output has TEXT.
expect_failure() {
  local status=$1 text=$2 output got=0
  shift 2
  output=$("$@" 2>&1) || got=$?
  [ "$got" -eq "$status" ] || fail "$* should end with $status, ended with $got: $output"
  grep -qF -- "$text" <<<"$output" || fail "$* should say '$text', said: $output"
}

# expect_error STATUS MESSAGE COMMAND...: it ends with this status and says this and nothing else.
expect_error() {
  local status=$1 message=$2 output got=0
  shift 2
  output=$("$@" 2>&1) || got=$?
  [ "$got" -eq "$status" ] || fail "$* should end with $status, ended with $got: $output"
  [ "$output" = "$message" ] || fail "$* should say"$'\n'"$message"$'\n'"said"$'\n'"$output"
}
