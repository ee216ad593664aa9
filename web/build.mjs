// node build.mjs OUT_DIR: bundles the page into OUT_DIR/index.html, viewer.js, viewer.css and favicon.svg.
// `three` and `esbuild` come from a node_modules beside this file or from NODE_PATH.
import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

if (!process.argv[2]) {
  console.error('usage: node build.mjs OUT_DIR');
  process.exit(2);
}

const out = resolve(process.argv[2]);
const here = dirname(fileURLToPath(import.meta.url));
const { build } = createRequire(import.meta.url)('esbuild');  // unlike import, require looks into NODE_PATH

await mkdir(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: [{ in: 'src/main.ts', out: 'viewer' }, { in: 'style.css', out: 'viewer' }],
  outdir: out,
  nodePaths: (process.env.NODE_PATH ?? '').split(delimiter).filter(Boolean),
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  legalComments: 'eof',
  logLevel: 'warning',
});
for (const file of ['index.html', 'favicon.svg']) await copyFile(join(here, file), join(out, file));
