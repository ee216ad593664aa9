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
for method in SIERE STR-SBDF2ERE STR-SBDF2ERE-printed; do
  "$limber" run scenes/beam.json --set "method.name=$method" --set method.modes=11 -o "$work/$method" --quiet
done
"$limber" damping-curve BE BDF2 TR-BDF2 SDIRK --from 0.1 --to 100 --points 200 -o "$work/curves.csv"
"$limber" damping-curve BDF2ERE-printed TR-BDF2ERE-printed TR-BDF2ERE BE BDF2 TR-BDF2 \
  --in-modes --from 0.01 --to 100 --points 2000 -o "$work/hybrids.csv"
# The total energy of the beam at rest in its sag: what a swing cannot go below.
rest=$(PYTHONPATH=${LIMBER_PYTHON:-build/python} /usr/bin/python3 -c '
import limber
scene = limber.Scene.load("scenes/beam.json")
sim = limber.Simulation(scene)
sim.positions = limber.statics(scene)
sim.velocities = 0 * sim.positions
print(sim.energies()["total"])')
gnuplot <<EOF
set datafile separator ","
set grid lc rgb "#dddddd"
set border lc rgb "#666666"

set terminal pngcairo size 1500,600 font "DejaVu Sans,13" background "white"
set output "docs/images/methods.png"
set multiplot layout 1,2 margins 0.07,0.98,0.12,0.92 spacing 0.09
set key bottom left
set title "What is left of a swinging beam's energy"
set xlabel "time [s]"
set ylabel "total energy above that at rest [kJ]"
set yrange [0:105]
plot for [m in "BE BDF2 TR-BDF2 SDIRK"] "$work/".m."/energy.csv" using 1:((\$6 - $rest)/1000) skip 1 with lines lw 2 title m
set key top right
set title "Damping that each method adds"
set logscale x
set xlabel "{/Symbol w} h"
set ylabel "d / {/Symbol w}"
set yrange [0:0.9]
plot for [i=2:5] "$work/curves.csv" using 1:i skip 1 with lines lw 2 title word("BE BDF2 TR-BDF2 SDIRK", i-1)
unset multiplot

# ρ = exp(−½ θ d/ω)
set output "docs/images/hybrids.png"
set multiplot layout 1,2 margins 0.07,0.98,0.12,0.92 spacing 0.09
set xrange [0.01:100]
set yrange [0:2.2]
set key top left
set title "An undamped oscillator in the modes: amplitude left after a step"
set ylabel "{/Symbol r}"
labels = '"BDF2ERE, SBDF2ERE as printed" "TR-BDF2ERE, STR-SBDF2ERE as printed" "corrected forms, BEERE, SIERE" BE BDF2 TR-BDF2'
widths = "2 2 3 1.5 1.5 1.5"
colors = "#c0392b #e67e22 #1a7f37 #777777 #6699cc #9467bd"
plot for [i=1:6] "$work/hybrids.csv" using 1:(exp(-0.5*\$1*column(i+1))) skip 1 with lines \
  lw real(word(widths, i)) lc rgb word(colors, i) title word(labels, i)
set logscale y
set format y "10^{%T}"
set yrange [1e-6:2]
set key bottom right
set title "Growth of the printed forms"
set ylabel "{/Symbol r} - 1"
plot for [i=1:2] "$work/hybrids.csv" using 1:(column(i+1) < 0 ? exp(-0.5*\$1*column(i+1)) - 1 : 1/0) skip 1 with lines \
    lw 2 lc rgb word(colors, i) title word(labels, i), \
  x <= 1 ? x**2/2 : 1/0 with lines dt 2 lc rgb "#555555" title "{/Symbol q}^2/2", \
  x <= 1 ? x**2/12 : 1/0 with lines dt 3 lc rgb "#555555" title "{/Symbol q}^2/12"
unset multiplot
unset logscale
set format y
set xrange [0:5]

set terminal pngcairo size 1500,600 font "DejaVu Sans,13" background "white"
set output "docs/images/energy_hybrids.png"
set multiplot layout 1,2 margins 0.07,0.98,0.12,0.92 spacing 0.09
names = "BE SIERE STR-SBDF2ERE TR-BDF2 SDIRK STR-SBDF2ERE-printed"
inks = "#777777 #1a7f37 #1f4e9c #9467bd #c9a227 #c0392b"
set key bottom left
set xlabel "time [s]"
set title "Total energy of a soft beam, 11 modes split off"
set ylabel "total energy [kJ]"
set yrange [0:*]
plot for [i=1:6] "$work/".word(names, i)."/energy.csv" using 1:(\$6/1000) skip 1 with lines lw 2 \
  lc rgb word(inks, i) title word(names, i)
set title "The same, from its start"
set ylabel "change of the total energy [J]"
set yrange [-30:30]
plot for [i=3:6] "$work/".word(names, i)."/energy.csv" using 1:(\$6 - 39240) skip 1 with lines lw 2 \
  lc rgb word(inks, i) title word(names, i)
unset multiplot
EOF
"$limber" compare scenes/beam.json --methods BE,SIERE,TR-BDF2 --set time.step=0.05 --set time.duration=20 --samples 32 \
  -o docs/images/compare_beam.png
echo docs/images/{methods,hybrids,energy_hybrids,compare_beam}.png
