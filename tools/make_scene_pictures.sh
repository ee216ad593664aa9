#!/usr/bin/env bash
# Draws the pictures of docs/scenes.md from runs of the built program: docs/images/scenes/*.png. All of them take over an
# hour, nearly all of it for drop_pile and twisted_mat; `tools/make_scene_pictures.sh rope beam` draws these two.
set -euo pipefail
cd "$(dirname "$0")/.."
limber=${LIMBER:-build/bin/limber}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p docs/images/scenes
wanted=("$@")

# picture SCENE SECONDS [OPTION…]: the state after so many seconds
picture() {
  local name=$1 seconds=$2
  shift 2
  if [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
  "$limber" run "scenes/$name.json" -o "$work/$name" --quiet --set "time.duration=$seconds" "$@"
  "$limber" render "$work/$name" -o "docs/images/scenes/$name.png" --size 640x360 --samples 32
  rm -r "${work:?}/$name"
}

picture beam 1.5
picture jelly_brick 0.3
picture swinging_creature 0.8
picture tree_in_wind 1.0
picture bridge 0.5
picture cloth_on_sphere 1.0
picture rope 0.5
picture stiff_and_soft 0.3
picture stack 1.5
picture gripper 1.0
picture rollers 0.52
picture twisted_mat 3.0
picture drop_pile 0.7 --set method.name=BE
