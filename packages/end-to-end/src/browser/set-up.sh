#!/usr/bin/env bash
# Installs Chromium and certutil on Debian, for `npm run browser`. It installs packages as root, so run it only on a
# machine that you can change.
set -euo pipefail

refuse() {
  echo "set-up: $1" >&2
  exit 1
}
packages=(chromium libnss3-tools)
if dpkg --status "${packages[@]}" > /dev/null 2>&1; then
  echo "set-up: Chromium is installed already"
  exit
fi
[ "$(id -u)" = 0 ] || refuse "needs root"
command -v apt-get > /dev/null || refuse "needs Debian's apt-get"
timeout 60 apt-get -qq -o Acquire::http::Timeout=10 -o Acquire::Retries=1 --error-on=any update ||
  refuse "apt-get update failed"
DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "${packages[@]}" > /dev/null
chromium --version 2> /dev/null
