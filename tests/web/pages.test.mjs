// What the page shows of runs and of several panes, in a browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { becomes, closeBrowser, open, program, read, shots, until, view } from "./browser.mjs";

after(closeBrowser);

const material = { model: "stable_neo_hookean", young: 1e5, poisson: 0.4, density: 1000 };
const beam = {
  time: { step: 0.02, duration: 2 },
  method: { name: "TR-BDF2" },
  bodies: [{ name: "beam", mesh: { shape: "box", size: [4, 1, 1], cells: [8, 2, 2] }, material, pin: ["left"] }],
};
/** Held at one end beside a ball, it falls to more than its length below its start. */
const pendulum = {
  time: { step: 0.02, duration: 1.2 },
  method: { name: "BE" },
  bodies: [
    {
      name: "pendulum", mesh: { shape: "box", size: [2, 0.1, 0.1], cells: [20, 1, 1] }, pin: ["left"],
      material: { ...material, young: 5e4 },
    },
  ],
};

/** Runs `body` with a page on a scene, or on a run of it, and expects no complaint in its console. */
async function withPage(scene, { run = false, methods = "" }, body) {
  const folder = mkdtempSync(join(tmpdir(), "limber-pages-"));
  const file = join(folder, "scene.json");
  writeFileSync(file, JSON.stringify(scene));
  if (run) execFileSync(program, ["run", file, "-o", join(folder, "run"), "--quiet"]);
  const server = await view(run ? join(folder, "run") : file, ...(methods ? ["--methods", methods] : []));
  try {
    const opened = await open(server.address);
    try {
      await body(opened.page, folder);
    } finally {
      await opened.close();
    }
    assert.deepEqual(opened.complaints, []);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const pause = async (page) => {
  await until(page, "limber.playing");
  await page.keyboard.press("Space");
  await until(page, "!limber.playing");
};
const heights = (page) => read(page, "Array.from(limber.positions(0)).filter((_, i) => i % 3 === 1)");
const lowest = async (page) => Math.min(...(await heights(page)));

test("the replay of a run shows its energies, over its whole time", async () => {
  await withPage(beam, { run: true }, async (page) => {
    const rows = await read(page, "limber.energies(0)");
    assert.equal(rows.length, 101);
    assert.ok(Math.abs(rows.at(-1)[0] - 2) < 1e-9);
    const kinetic = rows.map((row) => row[1]);
    assert.ok(Math.max(...kinetic) > 100);
    const label = () => page.locator('canvas[aria-label^="Energy over time"]').getAttribute("aria-label");
    const shown = async () => {
      const [, value, unit] = /Kinetic ([-\d.e]+) (\w*J)/.exec(await label());
      return Number(value) * { J: 1, mJ: 1e-3, kJ: 1e3, µJ: 1e-6 }[unit];
    };
    const isNear = (value, expected) => Math.abs(value - expected) <= 0.01 * Math.abs(expected) + 1e-6;
    // The values are those of the frame that is shown.
    for (const frame of [30, 77]) {
      await page.locator("#slider").fill(String(frame));
      await until(page, `limber.frame === ${frame}`);
      for (let k = 0; k < 50 && !isNear(await shown(), kinetic[frame]); ++k) await page.waitForTimeout(50);
      assert.ok(isNear(await shown(), kinetic[frame]), `${await label()}, not ${kinetic[frame]} J`);
    }
    await page.screenshot({ path: join(shots, "replay-energies-1280x800.png") });
    // Under the mouse they are those of its place on the axis, which ends with the run.
    const chart = await page.locator('canvas[aria-label^="Energy over time"]').boundingBox();
    const left = chart.x + 46;
    const right = chart.x + chart.width - 16;
    for (const time of [0.5, 1, 1.5]) {
      await page.mouse.move(left + ((right - left) * time) / 2, chart.y + 30);
      await page.waitForTimeout(400);
      const near = kinetic.slice(time / 0.02 - 2, time / 0.02 + 4);
      const value = await shown();
      assert.ok(value >= 0.98 * Math.min(...near) && value <= 1.02 * Math.max(...near), `${value} J at ${time} s, not ${near}`);
    }
  });
});

test("a run without energies is replayed, and the charts say so", async () => {
  const folder = mkdtempSync(join(tmpdir(), "limber-pages-"));
  writeFileSync(join(folder, "scene.json"), JSON.stringify(pendulum));
  const run = join(folder, "run");
  execFileSync(program, ["run", join(folder, "scene.json"), "-o", run, "--quiet"]);
  rmSync(join(run, "energy.csv"));
  const server = await view(run);
  try {
    const { page, complaints, close } = await open(server.address);
    await page.getByText("This run has no energies that can be read").first().waitFor();
    await page.locator("#slider").fill("20");
    await until(page, "limber.frame === 20");
    assert.deepEqual(await read(page, "limber.energies(0)"), []);
    await close();
    assert.deepEqual(complaints, []);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the grid lies below all that a run comes to, from its first frame on", async () => {
  await withPage(pendulum, { run: true }, async (page) => {
    const floor = await read(page, "limber.floor");
    let low = Infinity;
    for (let frame = 0; frame <= 60; frame += 4) {
      await page.locator("#slider").fill(String(frame));
      await until(page, `limber.frame === ${frame}`);
      low = Math.min(low, await lowest(page));
      assert.equal(await read(page, "limber.floor"), floor, "it stays where it is");
    }
    assert.ok(low < -1.2 && floor < low - 0.1, `grid at ${floor} m, the body down to ${low} m`);
    await page.screenshot({ path: join(shots, "grid-replay-1280x800.png") });
  });
});

test("the grid goes lower when a simulation comes down to it; a scene with a ground has none", async () => {
  await withPage(pendulum, {}, async (page, folder) => {
    await page.selectOption("#speed", { label: "As fast as it can" });
    for (let k = 0; k < 400 && (await lowest(page)) > -1.5; ++k) {
      const [floor, low] = await page.evaluate(() => {
        const y = Array.from(window.limber.positions(0)).filter((_, i) => i % 3 === 1);
        return [window.limber.floor, Math.min(...y)];
      });
      assert.ok(floor < low || low > -1.5, `grid at ${floor} m, the body at ${low} m`);
      await page.waitForTimeout(20);
    }
    await page.evaluate(() => document.activeElement?.blur());
    await pause(page);
    await page.waitForTimeout(300);
    const [floor, low] = [await read(page, "limber.floor"), await lowest(page)];
    assert.ok(low < -0.8 && floor < low, `grid at ${floor} m, the body down to ${low} m`);
    await page.screenshot({ path: join(shots, "grid-hanging-1280x800.png") });
    await page.keyboard.press("r");
    await until(page, "limber.time < 0.5");
    assert.ok((await read(page, "limber.floor")) <= floor, "it does not come up again");
    const grounded = { ...pendulum, obstacles: [{ shape: "plane", point: [0, -3, 0], normal: [0, 1, 0] }] };
    writeFileSync(join(folder, "grounded.json"), JSON.stringify(grounded));
    await page.setInputFiles("#file-input", join(folder, "grounded.json"));
    await until(page, "limber.floor === null");
  });
});

test("method and step change in one pane, or in all", async () => {
  await withPage(beam, { methods: "BE,TR-BDF2,SIERE" }, async (page) => {
    await pause(page);
    const panes = async (key) => (await read(page, "limber.panes")).map((p) => p[key]);
    const step = page.getByLabel("Step h");
    const method = page.getByLabel("Method", { exact: true });
    const everywhere = page.locator("#method-everywhere");
    await step.fill("0.01");
    await step.press("Enter");
    await until(page, "limber.panes[0].step === 0.01");
    assert.deepEqual(await panes("step"), [0.01, 0.02, 0.02]);
    await everywhere.check();
    await becomes(() => step.inputValue(), "");
    await becomes(() => step.getAttribute("placeholder"), "various");
    await becomes(() => method.inputValue(), "");
    await step.fill("0.005");
    await step.press("Enter");
    await until(page, "limber.panes.every((p) => p.step === 0.005)");
    await becomes(() => step.inputValue(), "0.005");
    assert.deepEqual(await panes("method"), ["BE", "TR-BDF2", "SIERE"]);
    await page.screenshot({ path: join(shots, "panes-1280x800.png") });
    // At a kept frame the change waits for the fork.
    for (let k = 0; k < 3; ++k) await page.locator("#step").click();
    await until(page, "limber.frames > 3");
    await page.locator("#slider").fill("1");
    await until(page, "limber.frame === 1");
    await method.selectOption("SI");
    await everywhere.uncheck();
    await step.fill("0.02");
    await step.press("Enter");
    await page.getByText("Fork here with 2 changes").waitFor();
    await page.locator("#fork").click();
    await until(page, "limber.frame === null && limber.panes.every((p) => p.method === 'SI') && limber.panes[0].step === 0.02");
    assert.deepEqual(await panes("step"), [0.02, 0.005, 0.005]);
    assert.deepEqual(await read(page, "limber.errors"), []);
  });
});

test("an error goes with the value that it is about", async () => {
  await withPage(beam, {}, async (page) => {
    await pause(page);
    const field = page.getByLabel("Poisson’s ratio");
    const errors = page.locator(".field-error, .toast.error");
    const refuse = async () => {
      await field.fill("0.7");
      await field.press("Tab");
      await page.locator(".field-error").waitFor();
      await becomes(() => field.inputValue(), "0.7", "what was refused stays to be corrected");
      await becomes(() => field.getAttribute("aria-invalid"), "true");
      await becomes(() => errors.count(), 2);
    };
    const settled = async (value) => {
      await until(page, `document.querySelectorAll(".field-error, .toast.error").length === 0`);
      await becomes(() => field.inputValue(), value);
      await becomes(() => field.getAttribute("aria-invalid"), null);
    };
    await refuse();
    await field.fill("0.3");  // another one that is good
    await field.press("Tab");
    await until(page, "limber.panes[0].bodies[0].poisson === 0.3");
    await settled("0.3");
    await refuse();
    await field.fill("0.3");  // the one that is there
    await field.press("Tab");
    await settled("0.3");
    await refuse();
    await field.fill("");
    await field.press("Enter");
    await settled("0.3");
    await refuse();
    await field.press("Escape");
    await settled("0.3");
    // Another field that is taken over says that all is well, too.
    await refuse();
    const young = page.getByLabel("Young’s modulus");
    await young.fill("2e5");
    await young.press("Enter");
    await until(page, "limber.panes[0].bodies[0].young === 2e5");
    await settled("0.3");
  });
});
