"""Random scenes over docs/scene.schema.json: small meshes, few steps, everything with everything. draw(seed, index, names)
is the same scene on every machine. Some scenes are damaged on purpose; then `damage` is the path of the key that an error
has to name."""

import json
import math
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

SIDES = ["left", "right", "bottom", "top", "back", "front"]
HEX = [[0, 1, 2, 3, 4, 5, 6, 7], [1, 8, 9, 2, 5, 10, 11, 6]]
HEX_NODES = [[0, 0, 0], [.2, 0, 0], [.2, .2, 0], [0, .2, 0], [0, 0, .2], [.2, 0, .2], [.2, .2, .2], [0, .2, .2],
             [.4, 0, 0], [.4, .2, 0], [.4, 0, .2], [.4, .2, .2]]
OCTAHEDRON = """v .2 0 0\nv -.2 0 0\nv 0 .2 0\nv 0 -.2 0\nv 0 0 .2\nv 0 0 -.2
f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n"""
GRADED = """# vtk DataFile Version 3.0\ntwo tetrahedra\nASCII\nDATASET UNSTRUCTURED_GRID
POINTS 5 double\n0 0 0 .3 0 0 0 .3 0 0 0 .3 .3 .3 .3\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10 10
CELL_DATA 2\nSCALARS E double 1\nLOOKUP_TABLE default\n1e5 4e5\n"""
# Keys whose numbers may not be negative, wherever they occur.
NOT_NEGATIVE = {"step", "duration", "young", "density", "thickness", "bending", "friction", "delta", "epsilon", "scale", "radius",
                "minor", "major", "fps", "frames_every", "checkpoint_every", "modes", "newton_tolerance", "max_iterations",
                "segments", "point_mass", "krylov_tolerance", "resolution", "nodes", "accuracy"}


@dataclass
class Drawn:
    text: str     # the scene file
    damage: str   # path of the damaged key, "" if there is none
    threads: int
    scene: dict   # as drawn, before the damage


class Names:
    """What the program knows: methods with their kinds and parameters, and materials."""

    def __init__(self, program):
        def ask(what):
            return json.loads(subprocess.run([program, what, "--json"], capture_output=True, check=True).stdout)
        self.methods, self.materials = ask("methods"), [m["name"] for m in ask("materials")]


def write_meshes(folder):
    """The files that scenes name, beside them: a solid, two shapes that an obstacle passes through, a material by a field."""
    Path(folder, "octahedron.obj").write_text(OCTAHEDRON)
    Path(folder, "walk_1.obj").write_text(OCTAHEDRON)
    Path(folder, "walk_2.obj").write_text(OCTAHEDRON.replace("v 0 .2 0", "v 0 .17 .01"))
    Path(folder, "graded.vtk").write_text(GRADED)


class Draw:
    def __init__(self, seed, index, names):
        self.rng = random.Random(f"{seed}-{index}")
        self.names = names
        self.method = names.methods[index % len(names.methods)]  # every method in turn
        self.kind = self.method["kind"]
        self.top, self.width = 0.0, 0.0  # of what is stacked so far [m]

    def chance(self, share):
        return self.rng.random() < share

    def log(self, low, high):
        return float(f"{math.exp(self.rng.uniform(math.log(low), math.log(high))):.3g}")

    def around(self, size):
        return [round(self.rng.uniform(-size, size), 4) for _ in range(3)]

    def some(self, into, share, /, **keys):
        """Each key with this share; values are drawn only where they are used."""
        for key, value in keys.items():
            if self.chance(share):
                into[key] = value()
        return into

    # ---- time and method
    def time(self):
        h = self.log(1e-4, 2e-3) if self.kind == "explicit" and not self.chance(.15) else self.rng.choice([.002, .005, .01, .02])
        self.steps = self.rng.randint(2, 40)
        self.end = round(self.steps * h, 9)
        step = self.accuracy() if self.chance(.15) else f"{h * 1e3:.6g} ms" if self.chance(.1) else h
        return {"step": step, "duration": self.end}

    def accuracy(self):
        """Steps that follow their error, a few hundred at most but for a few scenes."""
        keys = {"accuracy": f"{self.log(.1, 20)} mm" if self.chance(.2) else self.log(1e-4, 2e-2)}
        longest = self.end / 20
        if self.chance(.5):
            longest = keys["max"] = float(f"{self.end * self.rng.uniform(.02, .3):.4g}")
        if self.chance(.9):
            keys["min"] = float(f"{longest / self.log(1, 20):.4g}")
        return keys

    def method_keys(self):
        m = {"name": self.method["name"]}
        for p in self.method["parameters"]:
            if p["name"] == "freeze":
                m["freeze"] = self.chance(.5)
            elif self.chance(.5):
                m[p["name"]] = round(self.rng.uniform(max(p["min"], .1), p["max"]), 3) if p["min"] >= 0 else \
                    round(self.rng.uniform(p["min"] + .001, p["max"]), 3)
        if "gamma" in m and not self.chance(.1):  # most of them stable
            m["gamma"] = max(m["gamma"], .5)
            m["beta"] = max(m.get("beta", 0), round(m["gamma"] / 2, 4) + .001)
        if self.kind == "hybrid":
            self.some(m, .5, modes=lambda: self.rng.randint(1, 12), negative_modes=lambda: self.rng.choice(["grow", "clamp"]),
                      refresh=lambda: self.rng.choice(["once", "auto", {"every": self.rng.randint(1, 5)}, {"residual": self.log(1e-3, 1)}]))
        if self.kind == "exponential":
            self.some(m, .3, krylov_tolerance=lambda: self.log(1e-12, 1e-3))
        self.some(m, .15, newton_tolerance=lambda: self.log(1e-9, 1e-3), max_iterations=lambda: self.rng.randint(5, 200),
                  solver=lambda: self.rng.choice(["cholmod", "ldlt", "pcg", "lu", "gmres"]),
                  linear_tolerance=lambda: self.log(1e-12, 1e-4),
                  merit=lambda: self.rng.choice(["potential", "residual", "residual"]),
                  residual_scaling=lambda: self.rng.choice(["mass", "identity", "rows", "stage"]))
        if self.chance(.05):
            m["nonlinear"] = "lbfgs"
        return m

    # ---- bodies
    def material(self, thin=False):
        models = [m for m in self.names.materials if not (thin and m == "linear")]
        m = {"model": self.rng.choice(models), "young": self.log(3e3, 3e6 if self.kind in ("explicit", "exponential") else 1e8),
             "poisson": round(self.rng.uniform(-.2, .49), 3)}
        if m["model"] == "mooney_rivlin" and self.chance(.5):
            mu = m["young"] / 3
            m = {"model": "mooney_rivlin", "c10": round(.4 * mu, 1), "c01": round(.1 * mu, 1), "bulk": round(5 * mu, 1)}
        elif m["model"] == "yeoh" and self.chance(.5):
            mu = m["young"] / 3
            m = {"model": "yeoh", "c1": round(.5 * mu, 1), "c2": round(-.02 * mu, 1), "c3": round(.004 * mu, 1),
                 "bulk": round(5 * mu, 1)}
        elif m["model"] == "ogden" and self.chance(.7):
            mu, terms = m["young"] / 3, self.rng.randint(1, 3)
            m = {"model": "ogden", "mu": [round(s * mu, 1) for s in (1.5, .004, -.02)[:terms]], "alpha": [1.3, 5, -2][:terms],
                 "poisson": m["poisson"]}
        elif self.chance(.1):
            m["young"] = f"{m['young'] / 1e3:.6g} kPa"
        if not thin and self.chance(.15):
            m["viscosity"] = [{"share": round(self.rng.uniform(.05, .45), 3), "time": self.log(1e-3, 1)}
                              for _ in range(self.rng.randint(1, 2))]
        return self.some(m, .5, density=lambda: self.log(100, 5000))

    def box(self, cells):
        size = [round(self.rng.uniform(.15, .4), 3) for _ in range(3)]
        mesh = {"shape": "box", "size": size, "cells": [self.rng.randint(1, cells) for _ in range(3)]}
        if self.chance(.1):
            mesh["origin"] = [0.1, 0, 0]
            return mesh, [.1, 0, 0], [size[0] + .1, size[1], size[2]]
        return self.some(mesh, .3, split=lambda: self.rng.choice(["five", "six"])), [0, 0, 0], size

    def shape(self):
        """A body with mesh, element and material, and the corners of its box."""
        weights = {"box": 8, "P2": 3, "hex": 4, "hexes": 1, "tet": 1, "ball": 1, "cylinder": 1, "torus": 1, "shell": 1, "filled": 1,
                   "sheet": 4, "triangles": 1, "rod": 3, "springs": 1, "network": 1, "rope": 1, "graded": 1, "edges": 1}
        kind = self.rng.choices(list(weights), list(weights.values()))[0]
        thin = {"material": self.material(thin=True), "thickness": self.log(5e-4, 5e-3)}
        if kind in ("box", "P2", "hex", "network"):
            mesh, low, high = self.box({"box": 3, "P2": 2, "hex": 3, "network": 2}[kind])
            if kind == "network":
                return {"mesh": mesh, **self.springs(), "thickness": .005}, low, high
            body = {"mesh": mesh, "material": self.material()}
            if kind != "box":
                body["element"] = kind
            if kind == "hex":
                mesh.pop("split", None)
            elif mesh["cells"][0] > 1 and self.chance(.15):
                middle = [(low[0] + high[0]) / 2, 1, 1]
                body["regions"] = {"half": {"box": {"min": [-1, -1, -1], "max": middle}}}
                body["materials"] = {"half": body.pop("material"), "default": self.material()}
            return body, low, high
        if kind == "hexes":
            return {"mesh": {"nodes": HEX_NODES, "hexes": HEX, "region": [0, 3]},
                    "materials": {"3": self.material(), "default": self.material()}}, [0, 0, 0], [.4, .2, .2]
        if kind == "tet":
            return {"mesh": {"nodes": [[0, 0, 0], [.3, 0, 0], [0, .3, 0], [0, 0, .3]], "tets": [[0, 1, 2, 3]]},
                    "element": self.rng.choice(["P1", "P2"]), "material": self.material()}, [0, 0, 0], [.3, .3, .3]
        if kind == "ball":
            return {"mesh": {"shape": "sphere", "radius": .2, "resolution": self.rng.choice([.12, .2])},
                    "material": self.material()}, [-.2] * 3, [.2] * 3
        if kind == "cylinder":
            return {"mesh": {"shape": "cylinder", "radius": .1, "length": .3, "resolution": .1},
                    "material": self.material()}, [-.1, 0, -.1], [.1, .3, .1]
        if kind == "shell":
            gas = self.rng.choice([{}, {"amount": 1.5}, {"time": {"keys": [[0, 1], [round(self.end, 6), 2]]}}])
            filling = self.rng.choice([{"gas": gas}, {"gas": gas}, {"liquid": {"bulk": "1 MPa"}}, {"liquid": {}}])
            return {"mesh": {"shape": "shell", "radius": .15, "length": .1, "thickness": .05, "resolution": .15, "layers": 1},
                    "material": self.material(), "cavities": [filling]}, [-.15, -.2, -.15], [.15, .2, .15]
        if kind == "torus":
            return {"mesh": {"shape": "torus", "major_radius": .2, "minor_radius": .07, "resolution": .07},
                    "material": self.material()}, [-.27, -.07, -.27], [.27, .07, .27]
        if kind == "filled":
            mesh = self.some({"surface": "octahedron.obj", "resolution": .06}, .3, filling=lambda: "lattice")
            return {"mesh": mesh, "material": self.material()}, [-.25] * 3, [.25] * 3
        if kind == "rope":
            mesh = {"shape": "rope", "radius": .06, "resolution": .06, **self.rng.choice([
                {"length": .3}, {"path": [[0, 0, 0], [.2, .05, 0], [.4, 0, 0]]}])}
            return {"mesh": mesh, "material": self.material()}, [0, -.06, -.06], [.42, .12, .06]
        if kind == "graded":
            return {"mesh": {"file": "graded.vtk"}, "material": {"young": {"field": "E"}, "poisson": .3}}, [0, 0, 0], [.3, .3, .3]
        if kind == "edges":
            return {"mesh": {"nodes": [[0, 0, 0], [.2, 0, 0], [.4, .1, 0], [.2, .1, .2]], "edges": [[0, 1], [1, 2], [1, 3]]},
                    **self.rng.choice([thin, {**self.springs(), "thickness": .01}])}, [0, 0, 0], [.4, .1, .2]
        if kind == "sheet":
            cells = [self.rng.randint(1, 4), self.rng.randint(1, 4)]
            return {"mesh": {"shape": "sheet", "size": [.4, .3], "cells": cells}, **self.some(thin, .5, bending=lambda:
                    self.log(.01, 10))}, [0, 0, 0], [.4, .01, .3]
        if kind == "triangles":
            return {"mesh": {"nodes": [[0, 0, 0], [.3, 0, 0], [0, 0, .3], [.3, .1, .3]], "triangles": [[0, 2, 1], [1, 2, 3]]},
                    **thin}, [0, 0, 0], [.3, .1, .3]
        chain = {"shape": "chain", "from": [0, 0, 0], "to": [.4, self.rng.choice([0, .2]), 0], "segments": self.rng.randint(1, 8)}
        low, high = [0, 0, -.01], [.4, .2, .01]
        if kind == "rod":
            return {"mesh": chain, **thin}, low, high
        return {"mesh": chain, **self.springs(), "thickness": .01}, low, high

    def springs(self):
        springs = self.some({"stiffness": self.log(10, 1e5)}, .4, damping=lambda: self.log(.01, 10), edges=lambda: "mesh")
        self.some(springs, .1, rest_length=lambda: .1)
        return {"springs": springs, "point_mass": self.log(.01, 2)}

    def body(self, i):
        body, low, high = self.shape()
        solid = "thickness" not in body
        scale = self.rng.choice([.7, 1.5]) if self.chance(.1) else 1
        if scale != 1:
            body["scale"] = scale
        turned = self.chance(.25)
        if turned:  # it stays within the ball around the origin
            body["rotation"] = self.around(2)
            reach = math.sqrt(sum(max(a * a, b * b) for a, b in zip(low, high)))
            low, high = [-reach] * 3, [reach] * 3
        bottom = self.top + self.log(.002, .1)
        body["position"] = [round(-scale * (a + b) / 2, 6) for a, b in zip(low, high)]
        body["position"][1] = round(bottom - scale * low[1], 6)
        self.top = bottom + scale * (high[1] - low[1])
        self.width = max(self.width, scale * (high[0] - low[0]) / 2 + .02)
        body["name"] = f"b{i}"
        self.some(body, .25, velocity=lambda: self.around(3), angular_velocity=lambda: self.around(5))
        held = self.hold(body)
        if "point_mass" not in body:
            if self.chance(.4):
                body["damping"] = self.damping(["corotated", "rest", "current", "frozen"] if solid else ["corotated", "rest", "frozen"])
            if self.chance(.2):
                body["mass"] = self.rng.choice(["lumped", "consistent"])
            if solid and not held and "materials" not in body and self.chance(.06):
                body["rigid"] = ["all"]
        if self.chance(.2):
            body["loads"] = [self.load(200 if solid else 2) for _ in range(self.rng.randint(1, 2))]
            if solid and self.chance(.4):
                sides = SIDES if body["mesh"].get("shape") == "box" else []
                body["loads"].append({"faces": self.rng.choice(["all", *sides]), **self.rng.choice([
                    {"pressure": self.log(10, 2e3)}, {"pressure": -self.log(10, 2e3)}, {"traction": self.around(self.log(10, 2e3))}])})
        if self.chance(.1):
            body["masses"] = [{"nodes": self.rng.choice(SIDES), "mass": self.log(.001, 1)}]
        if self.chance(.1):
            body["targets"] = [self.some({"stiffness": self.log(1, 1e3), "keys": self.keys(.1)}, .4, damping=lambda: self.log(.01, 5),
                                         interpolation=lambda: "smooth", pivot=lambda: [0, 0, 0])]
        if self.chance(.05):
            body["targets"] = [{"nodes": {"nodes": [1]}, "stiffness": 50, "keys": [{"time": 0, "positions": [body["position"]]}]}]
        if solid and self.chance(.1):
            body["thickness"] = .002
        return body

    def until(self):
        return round(self.rng.uniform(.1, .9) * self.end, 6)

    def hold(self, body):
        """Pins and scripts; true where there are any."""
        long = body["mesh"].get("cells", [1])[0] > 1 or body["mesh"].get("segments", 1) > 1  # has nodes between its ends
        how = self.rng.choices(["free", "pin", "timed", "script", "both"], [5, 3, 1, 2, 1 if long else 0])[0]
        if how in ("pin", "both"):
            body["pin"] = ["left"]
        if how == "timed":
            nodes = ["left", "right"] if body["name"] == "b0" else ["left", "all"]
            body["pin"] = [{"nodes": self.rng.choice(nodes), "until": self.until()}]
        if how in ("script", "both"):
            body["script"] = [self.some({"nodes": "right", "keys": self.keys(.15)}, .4, interpolation=lambda: "smooth",
                                        until=self.until, pivot=lambda: body["position"])]
        return how != "free"

    def keys(self, way):
        """Of a prescribed motion over the time of the run, slow enough to be followed."""
        way = min(way, 2 * self.end)
        return [{"time": 0}] + [self.some({"time": round(self.end * part, 6), "translation": self.around(way)}, .3,
                                          rotation=lambda: self.around(5 * way)) for part in (.5, 1)]

    def damping(self, ats):
        d = {"ratios": [[1, .02], ["20 Hz", "5 %"]]} if self.chance(.2) else \
            self.some({"stiffness": self.log(1e-4, 1e-1)}, .5, mass=lambda: self.log(.01, 10))
        return self.some(d, .6, at=lambda: self.rng.choice(ats))

    def load(self, most):
        load = {"nodes": self.rng.choice(SIDES + ["all", {"nodes": [0, 2]}] if self.chance(.8) else SIDES)}
        load[self.rng.choice(["force", "total_force"])] = self.around(self.log(most / 100, most))
        if self.chance(.5):
            load["time"] = self.rng.choice([
                {"keys": [[0, 0], [round(self.end / 2, 6), 2]], "interpolation": self.rng.choice(["linear", "smooth"])},
                {"sine": {"frequency": self.log(.5, 50), "phase": "30 deg", "offset": .2, "amplitude": 1.5}}])
        return load

    # ---- surroundings
    def contact(self, bodies):
        c = {"delta": self.log(5e-4, 5e-3)} if self.chance(.5) else {}
        pairs = [{"between": ["b0", bodies[-1]["name"]], "friction": .5}]
        friction = [0, .3, 1.2, {"default": .2, "pairs": pairs}]
        self.some(c, .25, self=lambda: False, epsilon=lambda: self.log(1e-4, 1e-1), start=lambda: "push_apart",
                  friction_form=lambda: "lagged")
        self.some(c, .6, friction=lambda: self.rng.choice(friction))
        self.some(c, .07, stiffness=lambda: self.log(1e2, 1e6), surface=lambda: "smooth")
        if self.steps < 15 and self.chance(.15):  # these take long
            for key in ("friction", "friction_form", "surface"):
                c.pop(key, None)
            c["formulation"] = self.rng.choice(["nonpenetration", "velocity"])
        return c

    def obstacle(self, name, below):
        """Below everything, or at the left and driven to the right."""
        gap, r = self.log(.003, .05), self.rng.choice([.2, .5])
        shape = self.rng.choices(["plane", "half_space", "sphere", "box", "capsule", "cylinder", "torus", "mesh"],
                                 [5 * below, below, 1, 2, 1, 1, 1, 2])[0]
        at = [0, -gap, 0] if below else [-self.width - gap, self.top / 2, 0]  # the nearest point
        center = [0, -gap - r, 0] if below else [at[0] - r, at[1], 0]
        one, other = [center[0], center[1], -.3], [center[0], center[1], .3]
        o = {"name": name, "shape": shape, **{
            "plane": lambda: {"point": at, "normal": [0, 1, 0]},
            "half_space": lambda: {"point": at, "normal": [0, 1, 0]},
            "sphere": lambda: {"center": center, "radius": r},
            "box": lambda: {"center": center, "size": [2 * r, 2 * r, 2 * r]},
            "capsule": lambda: {"a": one, "b": other, "radius": r},
            "cylinder": lambda: {"a": one, "b": other, "radius": r},
            "torus": lambda: {"center": center, "axis": [0, 0, 1], "major": .75 * r, "minor": .25 * r},
            "mesh": lambda: {"position": center, "scale": 4.9 * r, **self.rng.choice([
                {"file": "octahedron.obj", "form": "triangles", "thickness": .002}, {"file": "octahedron.obj", "resolution": 16},
                {"sequence": {"files": "walk_*.obj", "times": [0, self.end]}}])},
        }[shape]()}
        if not below or self.chance(.2):
            way = min(.2, 3 * self.end)
            to = [0, round(self.rng.uniform(-way, way), 4), 0] if below else [round(self.rng.uniform(0, way) + gap, 4), 0, 0]
            key = self.some({"time": self.end, "translation": to}, .3, rotation=lambda: self.around(.5 * way))
            o["motion"] = self.some({"keys": [{"time": 0}, key]}, .4, interpolation=lambda: "smooth", pivot=lambda: center)
        return o

    def wind(self):
        speed = self.log(1, 40)
        still = {"velocity": self.around(speed)}
        gusts = {"velocity": {"keys": [[0, [0, 0, 0]], [self.end, self.around(speed)]], "interpolation": "smooth"}}
        return self.some(self.rng.choice([still, gusts]), .3, drag=lambda: self.log(.1, 2), density=lambda: 1.3)

    def scene(self):
        s = {"time": self.time(), "method": self.method_keys(),
             "bodies": [self.body(i) for i in range(self.rng.choice([1, 1, 2, 2, 3]))]}
        if len(s["bodies"]) > 1 and self.chance(.15):
            s["attachments"] = [self.some({"a": {"body": "b0", "nodes": "top"}, "b": {"body": "b1", "nodes": "bottom"},
                                           "stiffness": self.log(10, 1e4)}, .4, damping=lambda: self.log(.01, 5),
                                          rest_length=lambda: self.rng.choice(["initial", .05]), pairing=lambda: "nearest")]
        refuses_contact = self.method["name"].endswith("-printed")
        if self.chance(.05 if refuses_contact else .65):
            if self.chance(.8):
                s["contact"] = self.contact(s["bodies"])
            if self.chance(.8):
                s["obstacles"] = [self.obstacle("floor", True)]
            if self.chance(.25):
                s.setdefault("obstacles", []).append(self.obstacle("ram", False))
        self.some(s, .2, wind=self.wind, gravity=lambda: self.around(15))
        s["output"] = self.some({}, .3, velocities=lambda: True, checkpoint_every=lambda: self.rng.randint(1, 7))
        if s["bodies"][0]["mesh"].get("shape") == "box" and self.chance(.3):  # its corner
            s["output"]["probes"] = [{"name": "p", "body": "b0", "point": s["bodies"][0]["position"]}]
        if self.chance(.3):
            s["output"]["fps"] = self.rng.choice([24, 60, 333, round(3.7 / self.end, 3)])
        elif self.chance(.3):
            s["output"]["frames_every"] = self.rng.randint(1, 4)
        return self.some(s, .05, camera=lambda: {"position": [0, 2, 3], "look_at": [0, 0, 0], "fov": "60 deg"}, threads=lambda: 2,
                         description=lambda: "drawn by make soak")


def places(value, path=""):
    """(holder, key, path) of everything in a scene that has a key or a number."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for key, inner in items:
        here = f"{path}[{key}]" if isinstance(value, list) else f"{path}.{key}" if path else key
        yield value, key, here
        yield from places(inner, here)


def damaged(scene, rng):
    """A scene that cannot be read, as text, and where."""
    scene = json.loads(json.dumps(scene))
    all_places = list(places(scene))
    how = rng.choice(["key", "type", "range", "text"])
    if how == "text":
        text = json.dumps(scene)
        return text[:rng.randrange(1, len(text) - 1)], "JSON"
    if how == "key":
        objects = [("", scene)] + [(path, holder[key]) for holder, key, path in all_places if isinstance(holder[key], dict)]
        path, target = rng.choice(objects)
        target["wrong"] = 1
        return json.dumps(scene), f"{path}.wrong".lstrip(".")
    if how == "range":
        all_places = [(holder, key, path) for holder, key, path in all_places
                      if key in NOT_NEGATIVE and isinstance(holder[key], (int, float))]
    holder, key, path = rng.choice(all_places)
    holder[key] = -1 if how == "range" else {"wrong": 1} if not isinstance(holder[key], (dict, list)) else True
    return json.dumps(scene), path


def draw(seed, index, names):
    d = Draw(seed, index, names)
    scene = d.scene()
    threads = 2 if d.chance(.25) else 1
    if d.chance(.12):
        return Drawn(*damaged(scene, d.rng), threads, scene)
    return Drawn(json.dumps(scene, indent=1), "", threads, scene)
