#!/bin/sh
# setup.sh LIST: installs the Debian packages of LIST that are missing. Offline and quick where none is.
set -eu
list=$1
packages=$(sed 's/#.*//' "$list" | tr -s ' \t\n' ' ')

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this system has no Debian packages. Install what $list names by other means; going on."
  exit 0
fi

installed=$(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' 2>/dev/null | sed -n 's/ installed$//p')
missing=
for package in $packages; do
  printf '%s\n' "$installed" | grep -qxF -- "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root=
elif command -v sudo >/dev/null; then
  as_root=sudo
else
  echo "setup: these packages are missing, and installing them needs root or sudo:" >&2
  echo "   $missing" >&2
  echo "As root: apt-get install$missing" >&2
  exit 1
fi

echo "setup: installing$missing"
$as_root apt-get -q update
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install --yes --no-install-recommends $missing
