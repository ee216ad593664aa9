"""Random scenes to the program, and random kills: `make soak`. Every scene must end in success with finite energies and
frames that `limber check` finds clean, in an input error that names its key, or in a step failure with its reason; a run
that was killed and resumed must leave the files of one that was not. What does not is printed with the command that
shows it again."""

import argparse
import collections
import concurrent.futures
import json
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

import scenes

SECONDS = 30       # of processor time that a scene may take
WALL_SECONDS = 240  # for one that hangs
SCENE_KEYS = ("time", "method", "gravity", "bodies", "attachments", "wind", "contact", "obstacles", "output", "camera",
              "threads")
OF_THIS_RUN = ("wall_seconds", "resumed_from_step", "threads")  # what summary.json says of this run alone
STEP_FAILURE = re.compile(r"the step from t = \S+ s fails even at h = \S+ s \([^)]*\): (.*?)(\. Try .*)?$")


class Wrong(Exception):
    """What must not be."""


@dataclass
class Done:
    status: int
    out: str
    err: str
    seconds: float


class Soak:
    def __init__(self, program, seed, folder):
        self.program, self.seed, self.folder = Path(program).resolve(), seed, Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        scenes.write_meshes(self.folder)
        self.names = scenes.Names(self.program)

    def limber(self, *arguments, cwd=None, kill_after=None):
        """Runs the program, killed after so many seconds where that is asked for."""
        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        start = time.monotonic()
        process = subprocess.Popen([self.program, *map(str, arguments)], cwd=cwd or self.folder, preexec_fn=limits,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=kill_after or WALL_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            if not kill_after:
                raise Wrong(f"too slow: not done after {WALL_SECONDS} s") from None
        seconds = time.monotonic() - start
        if process.returncode < 0 and not kill_after:
            raise Wrong(f"too slow: {SECONDS} s of processor time" if seconds > SECONDS / 2 and process.returncode == -9
                        else f"signal {-process.returncode}: {err[-300:]}")
        return Done(process.returncode, out, err, seconds)

    # ---- one scene
    def draw(self, index):
        drawn = scenes.draw(self.seed, index, self.names)
        path = self.folder / f"scene-{self.seed}-{index}.json"
        path.write_text(drawn.text)
        return drawn, path

    def scene(self, index):
        """(verdict, details, seconds of the run); throws Wrong."""
        drawn, path = self.draw(index)
        results = path.with_suffix("")
        shutil.rmtree(results, ignore_errors=True)
        done = self.limber("run", path, "-o", results, "--threads", drawn.threads)
        if drawn.damage and done.status != 2:
            raise Wrong(f"{drawn.damage} is damaged, but the exit status is {done.status}")
        if done.status == 2:
            return "input error", self.refused(drawn, path, results, done), done.seconds
        summary = json.loads((results / "summary.json").read_text())
        verdict, details = "success", ""
        if done.status == 1:
            verdict, details = "step failure", self.failed(summary, done)
        elif done.status != 0:
            raise Wrong(f"exit status {done.status}: {done.err[-300:]}")
        elif summary["end"] != "finished" or summary["steps_planned"] not in (None, summary["steps"]):
            raise Wrong(f"exit status 0, but the summary says {summary['end']} after {summary['steps']} steps")
        check_summary(summary, drawn.scene["time"])
        if check_energies(results, summary, done, drawn.scene) and verdict == "success":
            verdict, details = "success, with a note of a gain of energy", summary["method"]
        check_frames(results, summary)
        self.check(results, drawn.scene)
        shutil.rmtree(results)
        path.unlink()
        return verdict, details, done.seconds

    def refused(self, drawn, path, results, done):
        said = done.err.strip().splitlines()[-1]
        key = re.match(r"limber: (\S+?):? ", said)
        if not said.startswith("limber: ") or not key:
            raise Wrong(f"an input error without a key: {said}")
        key = key[1]
        if drawn.damage == "JSON":
            if not key.startswith(str(path)):
                raise Wrong(f"the file is cut off, but the message names {key}: {said}")
        elif drawn.damage and not (key.startswith(drawn.damage) or drawn.damage.startswith(key)):
            raise Wrong(f"{drawn.damage} is damaged, but the message names {key}: {said}")
        elif re.split(r"[.\[]", key)[0] not in SCENE_KEYS and key not in json.loads(drawn.text):
            if not (drawn.damage and key == drawn.damage):
                raise Wrong(f"the message names no key of a scene: {said}")
        if results.exists():
            raise Wrong(f"an input error after results were written: {said}")
        checked = self.limber("check", path)
        if checked.status != 2 or checked.err.strip().splitlines()[-1] != said:
            raise Wrong(f"`limber run` says '{said}', `limber check` ({checked.status}) '{checked.err.strip()[-300:]}'")
        path.unlink()
        return ("damaged: " if drawn.damage else "") + said

    @staticmethod
    def failed(summary, done):
        said = done.err.strip().splitlines()[-1]
        reason = STEP_FAILURE.search(said)
        if not reason:
            raise Wrong(f"exit status 1 without a step failure: {said}")
        if summary["end"] != "failed" or summary["reason"] not in said:
            raise Wrong(f"summary.json says {summary['end']}, {summary.get('reason')}; the program says {said}")
        if re.search(r"\bnan\b", said):
            raise Wrong(f"a number that is none: {said}")
        return reason[1]

    def check(self, results, scene):
        """`limber check`, less what the scene does not promise."""
        done = self.limber("check", results, "--json")
        if done.status not in (0, 1):
            raise Wrong(f"limber check ends with {done.status}: {done.err[-300:]}")
        contact = scene.get("contact", {})
        collides = ("contact" in scene or "obstacles" in scene) and contact.get("formulation", "barrier") == "barrier"
        moves = any("motion" in o or "sequence" in o for o in scene.get("obstacles", []))
        for f in json.loads(done.out)["findings"]:
            if f["kind"] in ("crossing", "enclosed"):
                if not collides or (len(set(f["bodies"])) == 1 and not contact.get("self", True)):
                    continue
            between_steps = "fps" in scene["output"] or follows_error(scene["time"])
            if f["kind"] == "obstacle" and (not collides or (moves and between_steps)):
                continue  # a frame that shows the nearer step, docs/contact.md
            raise Wrong(f"limber check: frame {f['frame']}, {f['kind']}: {f['what']}")

    # ---- kills
    def kill(self, index, rng):
        """A run that is killed one to three times and resumed: how many kills came in time; throws Wrong."""
        drawn, path = self.draw(index)
        scene = drawn.scene
        scene["output"]["checkpoint_every"] = rng.randint(1, 5)
        path = path.with_name(f"kill-{self.seed}-{index}.json")
        path.write_text(json.dumps(scene, indent=1))
        whole, broken = path.with_suffix("") / "whole", path.with_suffix("") / "broken"
        shutil.rmtree(path.with_suffix(""), ignore_errors=True)
        whole.mkdir(parents=True), broken.mkdir()
        done = self.limber("run", path, "-o", "out", "--quiet", cwd=whole)
        kills = []
        if done.status == 0:
            for _ in range(rng.randint(1, 3)):
                after = rng.uniform(.01, done.seconds)
                killed = self.limber("run", path, "-o", "out", "--quiet", "--resume", "--threads", rng.choice([1, 2]),
                                     cwd=broken, kill_after=after)
                if killed.status == -9:
                    kills.append(f"{after:.3f} s")
                elif killed.status != 0:
                    raise Wrong(f"after kills at {kills} --resume ends with {killed.status}: {killed.err[-300:]}")
            last = self.limber("run", path, "-o", "out", "--quiet", "--resume", "--threads", 1, cwd=broken)
            if last.status != 0:
                raise Wrong(f"after kills at {kills} --resume ends with {last.status}: {last.err[-300:]}")
            difference = first_difference(whole / "out", broken / "out")
            if difference:
                raise Wrong(f"after kills at {kills}: {difference}")
        shutil.rmtree(path.with_suffix(""))
        path.unlink()
        return len(kills)


# ---- what a run left
def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from numbers(inner)
    else:
        yield value


def follows_error(time):
    """Whether the lengths of steps do."""
    return isinstance(time["step"], dict)


def check_summary(summary, time):
    if (summary["steps_planned"] is None) != follows_error(time):
        raise Wrong(f"summary.json says that {summary['steps_planned']} steps were planned; the scene, {time['step']}")
    if None in numbers({key: value for key, value in summary.items() if key != "steps_planned"}):
        raise Wrong("summary.json holds numbers that are not finite")


def read_table(path):
    with open(path, encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    return dict(zip(names, np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2).T))


def check_energies(results, summary, done, scene):
    """Whether the program notes a gain of energy. All numbers must be finite; where it notes none, total − put_in −
    put_in_doubt rises by 1 % of the energy in play at most."""
    e = read_table(results / "energy.csv")
    for name, column in e.items():
        if not np.isfinite(column).all():
            raise Wrong(f"energy.csv: {name} is not finite at t = {e['time'][~np.isfinite(column)][0]}")
    if len(e["time"]) != summary["steps"] + 1 or (np.diff(e["time"]) <= 0).any():
        raise Wrong(f"energy.csv has {len(e['time'])} rows for {summary['steps']} steps")
    duration = scene["time"]["duration"]
    if summary["end"] == "finished" and abs(e["time"][-1] - duration) > 1e-6 * duration:
        raise Wrong(f"energy.csv ends at {e['time'][-1]} s, the scene at {duration} s")
    given = e["put_in"] + e["external"][0] - e["external"]  # from outside, as docs/output.md has it
    in_play = max((e["kinetic"] + e["elastic"] + e["contact"]).max(), given.max())
    driven = "wind" in scene or any("motion" in o or "sequence" in o for o in scene.get("obstacles", [])) or any(
        key in body for body in scene["bodies"] for key in ("script", "targets", "loads", "cavities"))
    collides = "contact" in scene or "obstacles" in scene
    if not driven and not collides and np.abs(e["put_in"]).max() > 1e-9 * in_play:
        raise Wrong(f"energy.csv: put_in reaches {np.abs(e['put_in']).max():.3g} J, but nothing puts in any")
    if not driven and not collides and e["put_in_doubt"].max() > 1e-9 * in_play:
        raise Wrong(f"energy.csv: put_in_doubt reaches {e['put_in_doubt'].max():.3g} J, but nothing puts in any")
    if (np.diff(e["put_in_doubt"]) < 0).any():
        raise Wrong("energy.csv: put_in_doubt falls")
    balance = e["total"] - e["put_in"] - e["put_in_doubt"]
    rise = (balance - np.minimum.accumulate(balance)).max()
    noted = re.search(r"appeared that nobody put in", done.out + done.err + " ".join(summary["notes"]))
    if rise > .012 * in_play + 1e-9 * np.abs(e["total"]).max() and not noted:
        raise Wrong(f"the energy rises by {rise:.3g} J of {in_play:.3g} J in play, and nothing says so")
    if (np.diff(e["friction_loss"]) < -1e-12 * max(in_play, 1)).any():
        raise Wrong("energy.csv: friction gives energy back")
    return noted is not None


def check_frames(results, summary):
    with h5py.File(results / "trajectory.h5") as file:
        n = int(file["frames_written"][0])
        if n != summary["frames"] or (np.diff(file["frames/times"][:n]) <= 0).any():
            raise Wrong(f"trajectory.h5 has {n} frames, summary.json {summary['frames']}, or their times do not rise")
        for name, array in file["frames"].items():
            if not np.isfinite(array[:n]).all() and not (name == "min_det_F" and len(file["rest/tets"]) == 0):
                raise Wrong(f"trajectory.h5: {name} is not finite")


def comparable(path):
    """What must be equal of a file, docs/output.md."""
    if path.name == "energy.csv":
        table = [line.split(",") for line in path.read_text().splitlines()]
        wall = table[0].index("wall_ms")
        return [row[:wall] + row[wall + 1:] for row in table]
    if path.name == "summary.json":
        return {key: value for key, value in json.loads(path.read_text()).items() if key not in OF_THIS_RUN}
    return None if path.name == "energy.png" else path.read_bytes()


def first_difference(one, other):
    names = sorted(p.name for p in one.iterdir()), sorted(p.name for p in other.iterdir())
    if names[0] != names[1]:
        return f"the files are {names[0]} and {names[1]}"
    for name in names[0]:
        a, b = comparable(one / name), comparable(other / name)
        if a == b:
            continue
        if isinstance(a, dict):
            differing = [k for k in {**a, **b} if a.get(k) != b.get(k)]
            return f"{name} differs in " + ", ".join(f"{k}: {a.get(k)} and {b.get(k)}" for k in differing)
        if name == "energy.csv" and len(a) == len(b):
            row, column = next((i, k) for i in range(len(a)) for k in range(len(a[i])) if a[i][k] != b[i][k])
            return f"{name} differs in row {row}, {a[0][column]}: {a[row][column]} and {b[row][column]}"
        return f"{name} differs"
    return ""


# ---- many
class Tally:
    """Verdicts as they come, with the time left; failures at once, with the command to see them again."""

    def __init__(self, what, goal, command):
        self.what, self.goal, self.command = what, goal, command
        self.counts, self.reasons = collections.Counter(), collections.Counter()
        self.done = self.wrong = 0
        self.start = self.shown = time.monotonic()

    def add(self, n, verdict, reason=""):
        self.done += n
        self.counts[verdict] += n
        if reason:  # numbers, names and indices differ, what is said does not
            self.reasons[verdict + ": " + re.sub(r"(?<![A-Z])[-+]?\b\d[\d.]*(e[-+]?\d+)?", "#", reason)[:160]] += 1
        elapsed = time.monotonic() - self.start
        if time.monotonic() - self.shown > 5 and self.done < self.goal:
            self.shown = time.monotonic()
            print(f"{self.what} {self.done} of {self.goal}, {self.wrong} wrong, "
                  f"{elapsed / max(self.done, 1) * (self.goal - self.done):.0f} s left", flush=True)

    def fail(self, index, what):
        self.wrong += 1
        self.add(1, "WRONG")
        print(f"WRONG {self.what} {index}: {what}\n  again: {self.command} {index}", flush=True)

    def report(self):
        print(f"\n{self.done} {self.what}s in {time.monotonic() - self.start:.0f} s")
        for verdict, count in self.counts.most_common():
            print(f"  {count:5} {verdict}")
        for reason, count in sorted(self.reasons.items()):
            print(f"        {count:4} {reason}")


def run_scenes(soak, indices, jobs, command):
    tally = Tally("scene", len(indices), command + " --scene")
    good, verdicts = [], {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(soak.scene, i): i for i in indices}
        for future in concurrent.futures.as_completed(futures):
            index = futures[future]
            try:
                verdict, reason, seconds = future.result()
                tally.add(1, verdict, reason)
                verdicts[index] = f"{verdict}: {reason}"
                if verdict.startswith("success") and seconds < 5:  # to be killed, and run a few times
                    good.append(index)
            except Wrong as wrong:
                tally.fail(index, wrong)
                verdicts[index] = f"WRONG: {wrong}"
    tally.report()
    (soak.folder / "verdicts.txt").write_text("".join(f"{i}: {line}\n" for i, line in sorted(verdicts.items())))
    return tally.wrong, sorted(good)


def run_kills(soak, indices, goal, jobs, command):
    """Kills runs of these scenes, in turn, until so many kills have come in time."""
    tally = Tally("kill", goal, command + " --kill")
    rng = random.Random(f"kills-{soak.seed}")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        turn, running = 0, {}
        while running or (tally.done < goal and turn < 20 * goal):
            while len(running) < jobs and tally.done < goal and turn < 20 * goal:
                index = indices[turn % len(indices)]
                turn += 1
                running[pool.submit(soak.kill, index, random.Random(rng.random()))] = index
            finished, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in finished:
                index = running.pop(future)
                try:
                    tally.add(future.result(), "equal bits")
                except Wrong as wrong:
                    tally.fail(index, wrong)
    tally.report()
    return tally.wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the program limber")
    parser.add_argument("-o", "--output", default="out/soak", help="where scenes that went wrong are kept")
    parser.add_argument("--scenes", type=int, default=500)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--scene", type=int, help="this scene only, and keep its file")
    parser.add_argument("--kill", type=int, help="kill runs of this scene only")
    a = parser.parse_args()
    soak = Soak(a.program, a.seed, a.output)
    command = shlex.join([sys.executable, sys.argv[0], a.program, "-o", a.output, "--seed", str(a.seed)])
    if a.scene is not None:
        drawn, path = soak.draw(a.scene)
        print(f"{path}, damaged: {drawn.damage or 'no'}")
        wrong = run_scenes(soak, [a.scene], 1, command)[0]
        soak.draw(a.scene)
    elif a.kill is not None:
        wrong = run_kills(soak, [a.kill], a.kills, 1, command)
    else:
        wrong, good = run_scenes(soak, range(a.scenes), a.jobs, command)
        if a.kills > 0 and good:
            wrong += run_kills(soak, good, a.kills, a.jobs, command)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
