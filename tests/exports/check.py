"""Reads exports with the programs they are for: Blender, ParaView, the glTF validator and tinyusdz.

usage: check.py LIMBER MODULES FOLDER     the program, the folder of node_modules, and a folder for all that is made
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

import samples

HERE = Path(__file__).resolve().parent
RATE, FRAMES = 100, 11
LOOKED_AT = [0, 1, 4, 7, 10]


def say(text):
    print(f"  {text}", flush=True)


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def close(name, found, expected):
    """To float precision: the largest coordinate has 24 bits, and a difference of two frames is off by one more."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{name}: {found.shape}, expected {expected.shape}"
    error, size = np.abs(found - expected).max(), np.abs(expected).max()
    assert error <= 4e-7 * size, f"{name}: off by {error}"
    return error


def obj_positions(path):
    rows = (line.split() for line in path.read_text().splitlines())
    return np.array([row[1:4] for row in rows if row and row[0] == "v"], dtype=float)


def of_body(path, body):
    """The corners of one object of an OBJ file, as positions, at the end: one row for each vertex that it uses."""
    x, used, inside = [], set(), False
    for line in path.read_text().splitlines():
        word, *rest = line.split(maxsplit=1)
        if word == "v":
            x.append([float(c) for c in rest[0].split()])
        elif word == "o":
            inside = rest[0] == body
        elif word == "l" or (word == "f" and inside):
            used |= {(word, int(c.split("/")[0]) - 1) for c in rest[0].split()}
    letter = "l" if body == "rod" else "f"
    return np.array([x[i] for i in sorted(i for kind, i in used if kind == letter)])


def check_blender(folder, stem, bodies):
    (folder / "frames.txt").write_text(" ".join(map(str, LOOKED_AT)))
    (folder / "rate.txt").write_text(str(RATE))
    run("blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python", HERE / "in_blender.py", "--",
        folder, stem)
    seen = np.load(folder / f"{stem}_blender.npz")
    for cache in ("pc2", "mdd"):
        worst = max(close(f"{cache} frame {k}", seen[f"{cache}_{k}"], obj_positions(folder / f"{stem}_{k:04}.obj"))
                    for k in LOOKED_AT)
        say(f"Blender plays {stem}.{cache}: {len(seen[f'{cache}_0'])} vertices, {seen[f'{cache}_polygons']} faces, "
            f"to {worst:.1e} m")
    for body, (name, uv) in bodies.items():
        frames = seen[f"glb_frames:{body}"]
        assert len(frames) == FRAMES and np.allclose(frames, np.arange(FRAMES), atol=1e-3), frames
        assert bool(seen[f"glb_uv:{body}"]) == uv
        first = of_body(folder / f"{stem}_0000.obj", name)
        near = [np.argmin(np.linalg.norm(first - x, axis=1)) for x in seen[f"glb_0:{body}"]]
        assert set(near) == set(range(len(first))), f"{body}: not all vertices came"
        worst = max(close(f"glb frame {k}", seen[f"glb_{k}:{body}"], of_body(folder / f"{stem}_{k:04}.obj", name)[near])
                    for k in LOOKED_AT)
        say(f"Blender plays {stem}.glb, {body}: {len(near)} vertices, {len(frames)} frames, to {worst:.1e} m")


def check_paraview(folder, stem):
    out = folder / stem
    run("pvpython", HERE / "in_paraview.py", out, folder / f"{stem}.pvd", folder / f"{stem}_paraview.npz")
    seen = np.load(folder / f"{stem}_paraview.npz")
    with h5py.File(out / "trajectory.h5") as f:
        times, positions, rest = f["frames/times"][:], f["frames/positions"][:], f["rest/nodes"][:]
        counts = [len(f[f"rest/{kind}"]) for kind in ("tets", "triangles", "edges")]
        velocities = f["frames/velocities"][:] if "velocities" in f["frames"] else None
    for name in ("xdmf", "pvd"):
        assert np.allclose(seen[f"{name}_times"], times, rtol=0, atol=1e-12), seen[f"{name}_times"]
        pieces = int(seen[f"{name}_pieces"])
        for k in range(len(times)):
            for i in range(pieces):
                close(f"{name} frame {k}", seen[f"{name}_{k}_{i}_points"], positions[k])
        assert sum(seen[f"{name}_0_{i}_cells"] for i in range(pieces)) == sum(counts)
        say(f"ParaView opens {stem}'s {name}: {len(times)} frames, {len(rest)} nodes, {sum(counts)} cells")
    for k in range(len(times)):
        close("displacement", seen[f"pvd_{k}_0_displacement"] + rest, positions[k])
        if velocities is not None and k > 0:
            close("velocity", seen[f"pvd_{k}_0_velocity"], velocities[k])
        for field in ("von_mises", "energy_density", "body"):
            assert seen[f"pvd_{k}_0_{field}"].shape == (sum(counts),) and np.isfinite(seen[f"pvd_{k}_0_{field}"]).all()
    assert seen[f"pvd_{FRAMES - 1}_0_von_mises"].max() > 0


def check_npm(folder, stem, modules, bodies):
    report = json.loads(run("node", HERE / "validate.mjs", modules, folder / f"{stem}.glb", folder / f"{stem}.usda"))
    issues = report["gltf"]["issues"]
    assert issues["numErrors"] == 0 and issues["numWarnings"] == 0, json.dumps(issues["messages"][:5], indent=1)
    info = report["gltf"]["info"]
    assert info["hasMorphTargets"] and info["animationCount"] == 1
    say(f"the glTF validator finds no error and no warning in {stem}.glb ({issues['numInfos']} remarks)")
    layer = report["layer"]
    for key, value in (("upAxis", '"Y"'), ("metersPerUnit", "1"), ("timeCodesPerSecond", str(RATE)),
                       ("startTimeCode", "0"), ("endTimeCode", str(FRAMES - 1))):
        assert f"{key} = {value}\n" in layer, key
    meshes = {m["name"]: m for m in report["meshes"]}
    prims = re.split(r"\n    def ", layer)[1:]
    assert len(prims) == len(bodies)
    for prim, (name, uv) in zip(prims, bodies.values()):
        samples_of = re.search(r"points\.timeSamples = \{(.*?)\n        \}", prim, re.S)[1]
        rows = re.findall(r"(\d+): \[(.*?)\],\n", samples_of + "\n", re.S)
        assert [int(code) for code, _ in rows] == list(range(FRAMES))
        for k in LOOKED_AT:
            x = np.array(re.findall(r"[-+.\deE]+", rows[k][1]), dtype=float).reshape(-1, 3)
            close(f"usda frame {k}", x, of_body(folder / f"{stem}_{k:04}.obj", name))
        kind, identifier = re.match(r'(\w+) "(\w+)"', prim).groups()
        if kind == "Mesh":
            mesh = meshes[identifier]  # as it would be drawn: vertices divided where they have two texture coordinates
            assert bool(mesh["texcoords"]) == uv and (mesh["points"] > len(x) if uv else mesh["points"] == len(x))
        say(f"tinyusdz reads {kind} {identifier} of {stem}.usda: {len(rows)} samples of {len(x)} points")


def main():
    limber, modules, folder = (Path(a).resolve() for a in sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ball.obj").write_text(samples.ball_obj())
    runs = {"bar": (samples.bar(), {"bar": ("bar", False)}),
            "mixed": (samples.mixed(folder / "ball.obj"),
                      {"ball 1": ("skin", True), "cloth": ("cloth", False), "rod": ("rod", False)})}
    for stem, (scene, bodies) in runs.items():
        (folder / f"{stem}.json").write_text(json.dumps(scene))
        run(limber, "run", folder / f"{stem}.json", "-o", folder / stem, "--overwrite", "--quiet")
        for extension in ("glb", "usda", "pc2", "mdd", "obj", "ply", "pvd"):
            run(limber, "export", folder / stem, "-o", folder / f"{stem}.{extension}")
        check_blender(folder, stem, bodies)
        check_paraview(folder, stem)
        check_npm(folder, stem, modules, bodies)
    print("All clients read the exports.")


main()
