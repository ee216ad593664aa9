#!/usr/bin/env bash
# Draws the pictures of the docs from runs of the built program: docs/images/*.png.
set -euo pipefail
cd "$(dirname "$0")/.."
limber=build/bin/limber
[ -x "$limber" ] || limber=${LIMBER:?build first, or set LIMBER to the program}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for method in BE BDF2 TR-BDF2 SDIRK; do
  "$limber" run scenes/beam.json --set "method.name=$method" -o "$work/$method" --quiet
done
"$limber" damping-curve BE BDF2 TR-BDF2 SDIRK --from 0.1 --to 100 --points 200 -o "$work/curves.csv"
gnuplot <<EOF
set datafile separator ","
set terminal pngcairo size 1500,600 font "DejaVu Sans,13" background "white"
set output "docs/images/methods.png"
set multiplot layout 1,2 margins 0.07,0.98,0.12,0.92 spacing 0.09
set grid lc rgb "#dddddd"
set border lc rgb "#666666"
set key bottom left
set title "What is left of a swinging beam's energy"
set xlabel "time [s]"
set ylabel "total energy [kJ]"
set yrange [0:42]
plot for [m in "BE BDF2 TR-BDF2 SDIRK"] "$work/".m."/energy.csv" using 1:(\$6/1000) skip 1 with lines lw 2 title m
set key top right
set title "Damping that each method adds"
set logscale x
set xlabel "{/Symbol w} h"
set ylabel "d / {/Symbol w}"
set yrange [0:0.9]
plot for [i=2:5] "$work/curves.csv" using 1:i skip 1 with lines lw 2 title word("BE BDF2 TR-BDF2 SDIRK", i-1)
unset multiplot
EOF
echo "docs/images/methods.png"
