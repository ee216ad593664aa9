// The viewer, in a browser, from the outside.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { becomes, closeBrowser, open, program, read, root, shots, until, view } from "./browser.mjs";

after(closeBrowser);

const scene = {
  time: { step: 0.01, duration: 1 },
  method: { name: "TR-BDF2" },
  bodies: [
    {
      name: "beam",
      mesh: { shape: "box", size: [4, 1, 1], cells: [12, 3, 3] },
      material: { model: "stable_neo_hookean", young: 1e5, poisson: 0.4, density: 1000 },
      pin: ["left"],
    },
  ],
};
function sceneFile(server, content = scene) {
  const file = join(server.folder, "scene.json");
  writeFileSync(file, JSON.stringify(content));
  return file;
}
const beam = join(root, "scenes/beam.json");

/** Runs `body` with a page on `limber view ARGUMENTS`, and expects no complaint in its console. */
async function withPage(args, body, options) {
  const server = await view(...args);
  try {
    const opened = await open(server.address, options);
    try {
      await body(opened.page, server);
    } finally {
      await opened.close();
    }
    assert.deepEqual(opened.complaints, []);
  } finally {
    await server.stop();
  }
}

/** The same with a scene of its own. */
async function withScene(content, body) {
  const folder = mkdtempSync(join(tmpdir(), "limber-scene-"));
  try {
    await withPage([sceneFile({ folder }, content)], body);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the beam opens with three methods, moves, and backward Euler loses the most", async () => {
  await withPage([beam], async (page) => {
    assert.deepEqual((await read(page, "limber.panes")).map((p) => p.method), ["BE", "SIERE", "TR-BDF2"]);
    const [before, t] = await read(page, "[Array.from(limber.positions(2)), limber.time]");
    await until(page, `limber.time > ${t + 0.3}`);
    const now = await read(page, "Array.from(limber.positions(2))");
    assert.ok(now.some((x, i) => Math.abs(x - before[i]) > 0.01), "the beam moves");
    await page.selectOption("#speed", { label: await page.locator("#speed option").last().innerText() });
    await until(page, "limber.time > 3");
    const lost = [];
    for (const pane of [0, 1, 2]) {
      const rows = await read(page, `limber.energies(${pane})`);
      lost.push(rows[0][6] - rows.at(-1)[6]);
    }
    assert.ok(lost[0] > 3 * lost[1] && lost[1] > 3 * Math.abs(lost[2]), `lost [J]: ${lost}`);
    await page.screenshot({ path: join(shots, "beam-1280x800.png") });
  });
});

for (const [width, height, dark] of [[1280, 800, true], [390, 844, false], [390, 844, true]])
  test(`a picture at ${width}x${height}, ${dark ? "dark" : "light"}`, async () => {
    await withPage([beam], async (page) => {
      await until(page, "limber.time > 0.5");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the window");
      const canvas = await page.locator("#view").boundingBox();
      assert.ok(canvas.height >= (width < 600 ? 0.4 : 0.5) * height);
      await page.screenshot({ path: join(shots, `beam-${width}x${height}-${dark ? "dark" : "light"}.png`) });
    }, { width, height, dark });
  });

/** Where the free end's middle is on the screen, in pane 0. */
async function freeEnd(page) {
  return page.evaluate(() => {
    const x = window.limber.positions(0);
    let best = 0;
    for (let i = 0; i < x.length; i += 3) {
      const score = (k) => x[k] + 0.1 * x[k + 2] - Math.abs(x[k + 1] - 0.5) * 0.01;
      if (score(i) > score(best)) best = i;
    }
    return [x[best], x[best + 1], x[best + 2]];
  });
}

test("a pull with the mouse moves the point towards the mouse, and its force is told", async () => {
  const still = { ...scene, gravity: [0, 0, 0] };
  await withPage([beam, "--methods", "TR-BDF2"], async (page, server) => {
    await page.setInputFiles("#file-input", sceneFile(server, still));
    await until(page, "limber.panes.length == 1 && limber.positions(0).length > 0 && limber.energies(0).length > 2");
    await until(page, "Math.max(...limber.positions(0)) < 4.5");
    const end = await freeEnd(page);
    // A little inside the body, seen from the camera.
    const inside = [end[0] - 0.15, end[1] - 0.1, end[2]];
    const [x, y] = await read(page, `limber.project(0, ${JSON.stringify(inside)})`);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 60, { steps: 4 });
    await until(page, "limber.pull && Math.hypot(...limber.pull.force) > 1");
    const first = await read(page, "limber.pull");
    assert.ok(first.to[1] > first.point[1], "the target is above the point");
    assert.ok(first.force[1] > 0);
    await until(page, `limber.pull.point[1] > ${first.point[1]} + 0.02`);
    const pinned = await page.evaluate(() => {
      const x = window.limber.positions(0);
      let most = 0;
      for (let i = 0; i < x.length; i += 3) if (x[i] < 1e-6) most = Math.max(most, Math.abs(x[i]));
      return most;
    });
    assert.ok(pinned < 1e-6);
    await page.screenshot({ path: join(shots, "pull-1280x800.png") });
    await page.mouse.up();
    await until(page, "limber.pull === null");
  });
});

test("a rope is pulled by its line, with the mouse a little beside it and with the keyboard", async () => {
  const rope = {
    ...scene,
    gravity: [0, 0, 0],
    bodies: [
      {
        name: "rope",
        mesh: { nodes: [0, 1, 2, 3, 4].map((k) => [k / 4, 0, 0]), edges: [0, 1, 2, 3].map((k) => [k, k + 1]) },
        springs: { edges: "mesh", stiffness: 100 },
        point_mass: 0.1,
        pin: [{ nodes: [0] }],
      },
    ],
  };
  await withScene(rope, async (page) => {
    assert.equal(await read(page, "limber.positions(0).length"), 15);
    const [x, y] = await read(page, "limber.project(0, [0.8, 0, 0])");
    const beside = async (pixels) => {
      await page.mouse.move(x, y + pixels);
      await page.mouse.down();
    };
    await beside(30);
    assert.equal(await read(page, "limber.pull"), null);
    await page.mouse.up();
    await beside(6);
    await page.mouse.move(x, y - 50, { steps: 3 });
    await until(page, "limber.pull && limber.pull.force[1] > 0.001 && limber.pull.point[1] > 0.02");
    await page.screenshot({ path: join(shots, "rope-1280x800.png") });
    await page.mouse.up();
    await until(page, "limber.pull === null");
    await page.keyboard.press("g");
    await page.keyboard.press("ArrowDown");
    await until(page, "limber.pull && Math.hypot(...limber.pull.force) > 0");
    await page.keyboard.press("Escape");
    assert.deepEqual(await read(page, "limber.errors"), []);
  });
});

test("the settings are of the body that is chosen, or of all", async () => {
  const body = (name, x, young) => ({
    name, position: [x, 0, 0], mesh: { shape: "box", size: [1, 1, 1], cells: [2, 2, 2] }, pin: ["bottom"],
    material: { model: "stable_neo_hookean", young, poisson: 0.3, density: 1000 },
  });
  const several = {
    ...scene,
    bodies: [body("left", 0, 1e5), body("right", 2, 2e5)],
    obstacles: [{ name: "ball", shape: "sphere", center: [4, 0, 0], radius: 0.4 }],
  };
  await withPage([beam, "--methods", "TR-BDF2"], async (page, server) => {
    const choice = page.getByLabel("Settings of");
    await becomes(() => choice.count(), 0, "one body needs no choice");
    await page.setInputFiles("#file-input", sceneFile(server, several));
    await until(page, "limber.panes[0].bodies.length === 2");
    await becomes(() => choice.locator("option").allInnerTexts(), ["All 2 bodies", "left", "right"]);
    const field = page.getByLabel("Young’s modulus");
    const setTo = async (value, expected) => {
      await field.fill(value);
      await field.press("Enter");
      await until(page, `String(limber.panes[0].bodies.map((b) => b.young)) === "${expected}"`);
    };
    await becomes(() => field.inputValue(), "1e5", "the bodies differ: the first is chosen");
    await choice.selectOption("right");
    await becomes(() => field.inputValue(), "2e5");
    await setTo("5e5", "100000,500000");
    await choice.selectOption({ index: 0 });
    await becomes(() => field.inputValue(), "", "no value stands for both");
    await page.screenshot({ path: join(shots, "bodies-1280x800.png") });
    await choice.selectOption("left");
    const saved = page.waitForEvent("download");
    await page.locator("#save-scene").click();
    const kept = JSON.parse(readFileSync(await (await saved).path(), "utf8"));
    assert.deepEqual(kept.bodies.map((b) => b.material.young), [1e5, 5e5]);
    await choice.selectOption({ index: 0 });
    await setTo("300 kPa", "300000,300000");
    const ratio = page.getByLabel("Poisson’s ratio");
    await ratio.fill("0.7");
    await ratio.press("Enter");
    await page.locator(".field-error").waitFor();
    await becomes(() => ratio.getAttribute("aria-invalid"), "true");
  });
});

test("the camera follows a body that falls out of the picture, and Fit shows it", async () => {
  const falling = { ...scene, bodies: [{ ...scene.bodies[0], mesh: { shape: "box", size: [1, 1, 1], cells: [2, 2, 2] }, pin: [] }] };
  await withScene(falling, async (page) => {
    await page.selectOption("#speed", { label: await page.locator("#speed option").last().innerText() });
    await page.evaluate(() => document.activeElement?.blur());
    const isSeen = `(() => {
      const box = document.getElementById("view").getBoundingClientRect(), x = limber.positions(0);
      for (let i = 0; i < x.length; i += 3) {
        const [px, py] = limber.project(0, [x[i], x[i + 1], x[i + 2]]);
        if (!(px > box.left && px < box.right && py > box.top && py < box.bottom)) return false;
      }
      return x.length > 0;
    })()`;
    const pause = async () => {
      await page.keyboard.press("Space");
      await until(page, "!limber.playing && Math.abs(limber.drawnTime - limber.time) < 1e-6");
    };
    const fall = async (seconds) => {
      const from = await read(page, "limber.time");
      await page.keyboard.press("Space");
      await until(page, `limber.playing && limber.time > ${from + seconds}`);
      await pause();
    };
    await until(page, "limber.playing");
    await pause();
    assert.ok(await read(page, isSeen), "at the start");
    await fall(2);
    assert.ok((await read(page, "Math.max(...limber.positions(0).filter((_, i) => i % 3 === 1))")) < -15);
    assert.ok(await read(page, isSeen), "followed");
    await page.locator("#view").focus();
    for (let k = 0; k < 10; ++k) await page.keyboard.press("ArrowLeft");
    for (let k = 0; k < 4; ++k) await page.keyboard.press("ArrowUp");
    await page.keyboard.press("PageDown");
    assert.ok(await read(page, isSeen), "turned");
    await page.screenshot({ path: join(shots, "follow-1280x800.png") });
    await page.keyboard.press("t");
    await fall(1);
    assert.ok(!(await read(page, isSeen)), "not followed");
    await page.locator("#fit").click();
    assert.ok(await read(page, isSeen), "fitted");
    await page.keyboard.press("t");
    await fall(1);
    assert.ok(await read(page, isSeen), "followed again");
    await page.keyboard.press("r");
    await until(page, "limber.time < 1");
    await until(page, isSeen);
  });
});

test("another method changes the curve of the energy", async () => {
  await withPage([beam, "--methods", "TR-BDF2"], async (page) => {
    await page.selectOption("#speed", { label: await page.locator("#speed option").last().innerText() });
    await until(page, "limber.time > 1.5");
    const before = await read(page, "limber.energies(0)");
    assert.ok(before[0][6] - before.at(-1)[6] < 0.01 * before[0][6]);
    await page.getByLabel("Method", { exact: true }).selectOption("BE");
    await until(page, "limber.panes[0].method === 'BE'");
    const at = await read(page, "limber.time");
    await until(page, `limber.time > ${at + 1.5}`);
    const rows = await read(page, "limber.energies(0)");
    assert.ok(rows[0][6] - rows.at(-1)[6] > 0.1 * rows[0][6], "backward Euler has not lost energy");
    assert.ok(rows.length > before.length && rows[0][0] === 0, "the curve goes on");
  });
});

test("values that are refused name their key, and a broken scene is shown", async () => {
  await withPage([beam, "--methods", "TR-BDF2"], async (page, server) => {
    const field = page.getByLabel("Poisson’s ratio");
    await field.fill("0.7");
    await field.press("Enter");
    await until(page, "limber.errors.length > 0");
    const [error] = await read(page, "limber.errors");
    assert.equal(error.where, "bodies[0].material.poisson");
    await page.setInputFiles("#file-input", sceneFile(server, { ...scene, bodies: [{ ...scene.bodies[0], pins: ["left"] }] }));
    await page.getByText("bodies[0].pins").first().waitFor();
    await page.screenshot({ path: join(shots, "error-1280x800.png") });
    assert.ok(await read(page, "limber.drawn > 0"));
  });
});

test("a scene with an error opens a page that says so", async () => {
  const server = await view(beam);
  const file = sceneFile(server, { ...scene, time: { step: -1, duration: 1 } });
  const broken = await view(file);
  try {
    const { page, close } = await open(broken.address, { scene: false });
    await page.getByText("time.step").first().waitFor();
    await close();
  } finally {
    await broken.stop();
    await server.stop();
  }
});

test("a recorded run replays, is scrubbed, and forks to the bits of a run", async () => {
  const server = await view(beam);
  try {
    const run = join(server.folder, "run");
    const file = sceneFile(server, { ...scene, output: { velocities: true } });
    execFileSync(program, ["run", file, "-o", run, "--quiet"]);
    await withPage([run], async (page, own) => {
      assert.equal(await read(page, "limber.frames"), 101);
      const low = () => read(page, "Array.from(limber.positions(0)).filter((_, i) => i % 3 == 1).reduce((a, b) => Math.min(a, b))");
      await page.locator("#slider").fill("0");
      await until(page, "limber.frame === 0");
      const start = await low();
      await page.locator("#slider").fill("40");
      await until(page, "limber.frame === 40");
      assert.ok((await low()) < start - 0.05);
      await page.keyboard.press("]");
      await until(page, "limber.frame === 41");
      await page.keyboard.press("[");
      await until(page, "limber.frame === 40");
      await page.screenshot({ path: join(shots, "replay-1280x800.png") });

      const method = page.getByLabel("Method", { exact: true });
      await method.selectOption("SIERE");
      await page.locator("#fork").click();
      await until(page, "limber.panes[0].method === 'SIERE' && limber.frame === null");
      await page.evaluate(() => document.activeElement?.blur());
      for (let k = 1; k <= 12; ++k) {
        await page.keyboard.press(".");
        await until(page, `limber.frames >= ${k + 1}`);
      }
      assert.equal(await read(page, "limber.frames"), 13);
      const recorded = await page.evaluate(
        () =>
          new Promise((done, failed) => {
            const socket = new WebSocket(location.origin.replace("http", "ws") + "/ws" + location.search);
            socket.onerror = () => failed(new Error("the server does not answer"));
            socket.onopen = () => socket.send(JSON.stringify({ do: "record", format: "run" }));
            socket.onmessage = (event) => {
              const message = typeof event.data === "string" ? JSON.parse(event.data) : {};
              if (message.is === "recorded") done(message.file);
            };
          }),
      );
      const batch = join(own.folder, "batch");
      const forked = {
        ...scene,
        time: { step: 0.01, duration: 0.12 },
        method: { name: "SIERE" },
        start: { run, frame: 40 },
        output: { velocities: true },
      };
      const forkedFile = join(own.folder, "forked.json");
      writeFileSync(forkedFile, JSON.stringify(forked));
      execFileSync(program, ["run", forkedFile, "-o", batch, "--quiet"]);
      const compare = spawnSync("/usr/bin/python3", [
        "-c",
        "import h5py, sys\na, b = (h5py.File(f + '/trajectory.h5') for f in sys.argv[1:])\n" +
          "n = int(a['frames_written'][0]); assert n == int(b['frames_written'][0]) == 13, n\n" +
          "for name in ('frames/positions', 'frames/velocities', 'frames/times'):\n" +
          "    assert (a[name][:n] == b[name][:n]).all(), name\n",
        recorded,
        batch,
      ]);
      assert.equal(compare.status, 0, String(compare.stderr));
    });
  } finally {
    await server.stop();
  }
});

test("a replay tells the true times of its frames, and plays to the last", async () => {
  const server = await view(beam);
  try {
    const run = join(server.folder, "run");
    const body = { ...scene.bodies[0], mesh: { shape: "box", size: [4, 1, 1], cells: [4, 1, 1] } };
    const file = sceneFile(server, { ...scene, bodies: [body], output: { fps: 30 } });
    // As if it had broken off after ten frames, which come more and more rarely.
    execFileSync(program, ["run", file, "-o", run, "--quiet"]);
    const times = Array.from({ length: 10 }, (_, k) => (k * k) / 300);
    const change =
      "import h5py, json, sys\nf = h5py.File(sys.argv[1], 'r+')\n" +
      "f['frames_written'][0] = 10\nf['frames/times'][:10] = json.loads(sys.argv[2])";
    execFileSync("/usr/bin/python3", ["-c", change, join(run, "trajectory.h5"), JSON.stringify(times)]);
    await withPage([run], async (page) => {
      await becomes(() => page.locator("#slider-text").innerText(), `${times[9].toFixed(2)} s`);
      for (const frame of [1, 2, 7]) {
        await page.locator("#slider").fill(String(frame));
        await until(page, `limber.frame === ${frame}`);
        await page.locator(`#slider[aria-valuetext="Frame ${frame + 1} of 10, ${times[frame].toFixed(2)} s of ${times[9].toFixed(2)} s"]`).waitFor();
        await becomes(() => page.locator("#time").innerText(), `${times[frame].toFixed(2)} s`);
      }
      for (const speed of ["1 ×", "As fast as it can"]) {
        await page.selectOption("#speed", { label: speed });
        await page.locator("#slider").fill("3");
        await until(page, "limber.frame === 3");
        await page.evaluate(() => document.activeElement?.blur());
        await page.keyboard.press("Space");
        await until(page, "limber.frame === 9 && !limber.playing");
      }
    });
  } finally {
    await server.stop();
  }
});

test("a table that is dropped is fitted, shown as it goes, cancelled, and applied", async () => {
  const folder = mkdtempSync(join(tmpdir(), "limber-fit-"));
  try {
    const probes = [{ name: "tip", body: "beam", point: [4, 0.5, 0.5] }, { name: "middle", body: "beam", point: [2, 0.5, 0.5] }];
    const bodies = [{ ...scene.bodies[0], velocity: [0, 0, 0] }];
    const fitted = { ...scene, bodies, time: { step: 0.02, duration: 2 }, output: { probes } };
    const file = sceneFile({ folder }, fitted);
    const run = join(folder, "measured");
    execFileSync(program, ["run", file, "--set", "bodies[0].material.young=150000", "-o", run, "--quiet"]);
    const table = readFileSync(join(run, "probes.csv"), "utf8");
    await withPage([file], async (page) => {
      const drop = (name, text) => page.evaluate(([name, text]) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name, { type: "text/csv" }));
        window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
      }, [name, text]);
      await drop("wrong.csv", "time,nose.x\n0,0\n");
      await page.getByText("is of a probe that the scene does not have").waitFor();
      await drop("probes.csv", table);
      await page.getByText("606 observed numbers").waitFor();
      assert.equal(await page.locator("#fit-low-0").inputValue(), "10000");
      assert.equal(await page.locator("#fit-high-0").inputValue(), "1e6");
      await page.getByLabel("Which column is drawn").selectOption("middle.y");
      await page.locator("#fit-low-0").fill("20 kPa");
      await page.locator("#fit-add").fill("bodies[0].velocity[1]");
      await page.locator("#fit-more").click();
      await page.locator("#fit-low-1").fill("5");
      await page.locator("#fit-high-1").fill("-5");
      await page.locator("#fit-start").click();
      await page.getByText("is not one from low to high").waitFor();
      await until(page, "!limber.fit.running");
      await page.locator("#fit-low-1").fill("-5");
      await page.locator("#fit-high-1").fill("5");
      await page.locator("#fit-start").click();
      await until(page, "limber.fit.progress?.rms > 0 && limber.fit.motion === 6");
      await page.screenshot({ path: join(shots, "fitting-1280x800.png") });
      await page.locator("#fit-cancel").click();
      await until(page, "!limber.fit.running && limber.fit.result.reason === 'cancelled'");
      await page.locator("#fit-remove-1").click();
      await page.locator("#fit-start").click();
      await until(page, "limber.fit.result?.converged", 60);
      const found = await read(page, "limber.fit.result.values['bodies[0].material.young']");
      assert.ok(Math.abs(found / 150000 - 1) < 1e-3, `${found}`);
      assert.equal(await page.locator(".toast.error").count(), 0, "errors of what was tried before");
      await page.locator("#fit-apply").scrollIntoViewIfNeeded();
      await page.screenshot({ path: join(shots, "fit-1280x800.png") });
      await page.locator("#fit-apply").click();
      await until(page, `limber.panes[0].bodies[0].young === ${found}`);
      assert.ok(await read(page, "limber.fit.result.converged"), "what was found stays");
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("advice is asked for, read and taken", async () => {
  await withPage([beam], async (page) => {
    await page.getByText("Advice", { exact: true }).click();
    await page.locator("#advice-amount").fill("1 kg");
    await page.locator("#advice-ask").click();
    await page.getByText("a length").first().waitFor();
    await until(page, "!limber.advice.running");
    await page.locator("#advice-amount").fill("5 cm");
    await page.locator("#advice-ask").click();
    await until(page, "limber.advice.result !== null", 60);
    const best = await read(page, "limber.advice.result.suggestions[0]");
    assert.ok(best.meets && best.error <= 0.05001, JSON.stringify(best));
    await page.locator("#advice-take-0").scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(shots, "advice-1280x800.png") });
    await page.locator("#advice-take-0").click();
    await until(page, `limber.panes[0].method === ${JSON.stringify(best.method)}`);
    await page.locator("#advice-wish").selectOption("real_time");
    assert.ok(await page.locator("#advice-amount").isDisabled());
  });
});

test("everything by keyboard", async () => {
  await withPage([beam, "--methods", "TR-BDF2"], async (page) => {
    const press = (key) => page.keyboard.press(key);
    await until(page, "limber.playing");
    await press("Space");
    await until(page, "!limber.playing");
    const frames = await read(page, "limber.frames");
    await press(".");
    await until(page, `limber.frames === ${frames + 1}`);
    await press("n");
    await until(page, "limber.panes.length === 2");
    await press("2");
    await press("+");
    await press("Space");
    await until(page, "limber.playing && limber.frames > 5");
    await press("Space");
    await until(page, "!limber.playing");
    await press("[");
    await until(page, "limber.frame !== null");
    const frame = await read(page, "limber.frame");
    await press("f");
    await until(page, `limber.frame === null && limber.frames === ${frame + 1}`);
    await press("l");
    for (const key of ["w", "c", "c", "a", "p", "d", "d", "Home"]) await press(key);
    await page.locator("#view").focus();
    for (const key of ["ArrowLeft", "ArrowUp", "PageUp", "PageDown"]) await press(key);
    await press("g");
    await press("ArrowUp");
    await press("ArrowUp");
    await press("Space");
    await until(page, "limber.pull && Math.hypot(...limber.pull.force) > 0");
    await press("Escape");
    await until(page, "limber.pull === null");
    await press("?");
    await page.locator("#help[open]").waitFor();
    await page.screenshot({ path: join(shots, "help-1280x800.png") });
    await press("Escape");
    await page.locator("#help[open]").waitFor({ state: "detached" }).catch(() => {});
    const saved = page.waitForEvent("download");
    await press("s");
    const text = readFileSync(await (await saved).path(), "utf8");
    assert.equal(JSON.parse(text).bodies[0].name, "beam");
    await press("o");
    await page.locator("#scenes[open]").waitFor();
    await page.screenshot({ path: join(shots, "scenes-1280x800.png") });
    await page.getByRole("button", { name: /jelly_brick/ }).focus();
    await press("Enter");
    await until(page, "limber.panes.length === 1");
    await press("r");
    for (let i = 0; i < 3; ++i) await press(".");
    await until(page, "!limber.playing && limber.frames >= 3");
    // The Tab key reaches every control.
    const reached = new Set();
    for (let i = 0; i < 60; ++i) {
      await press("Tab");
      reached.add(await page.evaluate(() => document.activeElement?.id || document.activeElement?.getAttribute("aria-label") || ""));
    }
    for (const id of ["play", "step", "restart", "speed", "slider", "view"]) assert.ok(reached.has(id), `${id} by Tab: ${[...reached]}`);
  });
});
