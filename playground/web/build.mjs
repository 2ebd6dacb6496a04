// Makes the page: one folder of static files in target/playground/site.
//
//   node build.mjs BINDINGS      the folder in which wasm-bindgen put playground_bg.wasm and playground.js
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import binaryen from "binaryen";
import { build } from "esbuild";

import { examples } from "./examples.mjs";
import { POLICY } from "./policy.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const bindings = resolve(process.argv[2] ?? join(root, "target/playground/bindings"));
const site = join(root, "target/playground/site");
const version = /^version = "(.+)"$/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))[1];

rmSync(site, { recursive: true, force: true });
mkdirSync(site, { recursive: true });

/** The repository's own examples, in the page. */
const withExamples = {
  name: "examples",
  setup(build) {
    build.onResolve({ filter: /^\.\/examples\.js$/ }, () => ({ path: "examples", namespace: "made" }));
    build.onLoad({ filter: /.*/, namespace: "made" }, () => ({
      contents: `export const examples = JSON.parse(${JSON.stringify(JSON.stringify(examples(root)))});`,
    }));
    build.onResolve({ filter: /\/bindings\/playground\.js$/ }, () => ({ path: join(bindings, "playground.js") }));
  },
};

const options = {
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  outdir: site,
  plugins: [withExamples],
  loader: { ".json": "json" },
  legalComments: "none",
  logLevel: "warning",
};
// The engine is a module of its own, so that it begins to load before the editors have.
const entries = ["engine", "worker"].map((name) => join(here, `src/${name}.js`));
await build({ ...options, entryPoints: entries });
await build({ ...options, entryPoints: [join(here, "src/main.js")], external: ["./engine.js"] });
writeFileSync(join(site, "engine.wasm"), compressible(readFileSync(join(bindings, "playground_bg.wasm"))));
for (const file of ["style.css", "icon.svg", "app.webmanifest"]) cpSync(join(here, file), join(site, file));
const page = readFileSync(join(here, "index.html"), "utf8");
writeFileSync(join(site, "index.html"), page.replace("{{CSP}}", POLICY).replace("{{VERSION}}", version));

const files = readdirSync(site).sort();
const hash = createHash("sha256");
for (const file of files) hash.update(file).update(readFileSync(join(site, file)));
await build({
  ...options,
  entryPoints: [join(here, "src/service-worker.js")],
  define: { VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)), FILES: JSON.stringify(["./", ...files]) },
});

/** A module in which functions that look alike are neighbours, and equal ones are one: a tenth less, compressed. */
function compressible(bytes) {
  const module = binaryen.readBinary(bytes);
  // What one generic function was compiled to has nearly one name.
  module.runPasses(["duplicate-function-elimination", "reorder-functions-by-name", "strip-debug"]);
  return module.emitBinary();
}

// The limits of what somebody has to load: templates of ClusterClasses and Compositions with all their functions are part
// of the engine.
const sizes = readdirSync(site).map((file) => [file, gzipSync(readFileSync(join(site, file)), { level: 9 }).length]);
const engine = sizes.find(([file]) => file === "engine.wasm")[1];
const rest = sizes.reduce((sum, [, size]) => sum + size, 0) - engine;
for (const [what, size, limit] of [["engine", engine, 1_250_000], ["everything else", rest, 250_000]]) {
  console.log(`${what}: ${(size / 1000).toFixed(0)} kB gzipped, at most ${limit / 1000}`);
  if (size > limit) process.exitCode = 1;
}
