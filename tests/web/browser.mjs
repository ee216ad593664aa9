// The program and a browser for a test: `limber view` on a free port, and Chromium without a screen.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { chromium } from "playwright-core";

export const root = resolve(process.env.LIMBER_ROOT ?? ".");
export const program = resolve(process.env.LIMBER_BUILD_DIR ?? join(root, "build"), "bin/limber");
export const shots = join(root, "out/view-shots");
mkdirSync(shots, { recursive: true });

/** Starts `limber view ARGUMENTS` in an empty folder; `stop()` ends it. */
export async function view(...args) {
  const folder = mkdtempSync(join(tmpdir(), "limber-view-"));
  const child = spawn(program, ["view", ...args, "--no-open", "--port", "0", "--threads", "1"], { cwd: folder });
  let errors = "";
  child.stderr.on("data", (data) => (errors += data));
  const address = await new Promise((found, failed) => {
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      const match = /viewer is at (\S+)\n/.exec(text);
      if (match) found(match[1]);
    });
    child.on("exit", (status) => failed(new Error(`limber view ended with ${status}: ${errors}`)));
  });
  return {
    address,
    folder,
    async stop() {
      const ended = new Promise((done) => child.on("exit", done));
      child.kill("SIGTERM");
      const status = await ended;
      rmSync(folder, { recursive: true, force: true });
      if (status !== 0) throw new Error(`limber view ended with ${status}: ${errors}`);
    },
  };
}

let browser;
export async function open(address, { width = 1280, height = 800, dark = false, scene = true } = {}) {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!executablePath) throw new Error("chromium is not installed");
  browser ??= await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-gpu-compositing"],
  });
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    hasTouch: width < 600,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  const complaints = [];
  page.on("console", (message) => {
    // That reading the picture back takes its time is the browser's business, where it draws without a graphics card.
    if (/GL Driver Message .*ReadPixels/.test(message.text())) return;
    if (["error", "warning"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  await page.goto(address);
  if (scene) await until(page, "limber?.drawn > 0 && limber.positions(0).length > 0");
  return { page, complaints, close: () => context.close() };
}

export async function closeBrowser() {
  await browser?.close();
}

/** A value of `window.limber`, by an expression in `limber`. */
export const read = (page, expression) => page.evaluate(`(() => { const limber = window.limber; return ${expression}; })()`);
/** Waits until such an expression is true. (The page's policy forbids to poll it in there.) */
export async function until(page, expression, seconds = 30) {
  for (const end = Date.now() + 1000 * seconds; ; await page.waitForTimeout(30)) {
    if (await read(page, expression)) return;
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${expression}`);
  }
}

/** Waits until what `value` reads from the page equals `expected`: the page shows a change of its state with its next picture. */
export async function becomes(value, expected, message) {
  for (const end = Date.now() + 30000; Date.now() < end; await new Promise((done) => setTimeout(done, 30)))
    if (isDeepStrictEqual(await value(), expected)) return;
  assert.deepEqual(await value(), expected, message);
}
