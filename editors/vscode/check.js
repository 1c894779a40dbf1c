// `npm run check`: what can be checked without an editor and without a network.

"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const manifest = require("./package.json");
const { item } = require("./trace");

for (const file of ["extension.js", "trace.js", "README.md"]) {
  assert(manifest.files.includes(file) && fs.existsSync(path.join(__dirname, file)), file);
}
const source = fs.readFileSync(path.join(__dirname, "extension.js"), "utf8");
for (const { command } of manifest.contributes.commands) {
  assert(source.includes(`register("${command}"`), `${command} should be registered`);
}
for (const name of Object.keys(manifest.contributes.configuration.properties)) {
  assert(source.includes(`get("${name.split(".")[1]}")`), `${name} should be read`);
}
const step = { step: 3, thread: "main", text: "x = 1;", function: "main", notes: ["x = 1"], held: ["m"] };
assert.deepStrictEqual(item(step), { label: "3  main", description: "x = 1;", tooltip: "main: x = 1;\nx = 1\nholds m" });
