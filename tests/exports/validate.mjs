// node validate.mjs MODULES FILE.glb FILE.usda: prints what the glTF validator finds in the one, and the other as tinyusdz
// understood it, as one JSON object.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, glb, usda] = process.argv.slice(2);
const require = createRequire(path.resolve(modules, 'node_modules/'));
const report = await require('gltf-validator').validateBytes(new Uint8Array(fs.readFileSync(glb)));

// tinyusdz is built for browsers: it looks for a window, and fetches its code.
process.type = 'renderer';
globalThis.window = globalThis;
const folder = path.resolve(modules, 'node_modules/tinyusdz');
const { default: init } = await import(pathToFileURL(path.join(folder, 'tinyusdz.js')));
const code = fs.readFileSync(path.join(folder, 'tinyusdz.wasm'));
const native = await init({
  instantiateWasm: (imports, done) => {
    WebAssembly.instantiate(code, imports).then((made) => done(made.instance, made.module));
    return {};
  },
});
const bytes = new Uint8Array(fs.readFileSync(usda));
const stage = new native.TinyUSDZLoaderNative(), layer = new native.TinyUSDZLoaderNative();
if (!stage.loadFromBinary(bytes, usda)) throw new Error(stage.error());
if (!layer.loadAsLayerFromBinary(bytes, usda)) throw new Error(layer.error());
const meshes = [];
for (let i = 0; i < stage.numMeshes(); ++i) {
  const mesh = stage.getMesh(i);
  meshes.push({
    name: mesh.primName,
    points: mesh.points.length / 3,
    faces: mesh.faceVertexCounts.length,
    texcoords: mesh.texcoords ? mesh.texcoords.length / 2 : 0,
  });
}
console.log(JSON.stringify({ gltf: report, meshes, layer: layer.layerToString() }));
