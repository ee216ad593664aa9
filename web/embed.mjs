// node embed.mjs DIST FILE.cpp: the files of the page, compressed, as C++.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const [dist, output] = process.argv.slice(2);
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const arrays = [];
const rows = [];
for (const [i, name] of readdirSync(dist).sort().entries()) {
  const type = types[extname(name)];
  if (!type) throw new Error(`${name}: no content type is known for it`);
  const bytes = gzipSync(readFileSync(join(dist, name)), { level: 9 });
  arrays.push(`const unsigned char file${i}[] = {${bytes.join(",")}};`);
  rows.push(`    {"/${name}", "${type}", {reinterpret_cast<const char*>(file${i}), sizeof file${i}}},`);
}
writeFileSync(
  output,
  `#include "limber/view/page.hpp"\n\nnamespace limber {\nnamespace {\n${arrays.join("\n")}\n` +
    `const PageFile files[] = {\n${rows.join("\n")}\n};\n}  // namespace\n\n` +
    `std::span<const PageFile> page_files() { return files; }\n\n}  // namespace limber\n`,
);
