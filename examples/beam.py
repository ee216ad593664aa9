"""The beam of the README from Python: two seconds, its lowest point and energy, and what backward Euler would do to it."""

import limber

scene = limber.Scene.load("scenes/beam.json")
sim = limber.Simulation(scene)
while sim.time < 2:
    sim.step()
print(sim.positions[:, 1].min(), sim.energies()["total"])

lam, X = limber.modes(scene, 6)
print(limber.damping_curve("BE", 0.01 * lam**0.5))
