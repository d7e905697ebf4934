// Writes the generated pages of docs/ and the generated modules of the Python client. With --check it writes nothing and fails when
// a file is not what it would write.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { referencePages } from "./reference/pages.ts";
import { pythonClient } from "./reference/python-client.ts";

const root = resolve(import.meta.dirname, "..");
const pages = Object.entries(await referencePages()).map(([path, text]) => [`docs/${path}`, text] as const);
const files = [...pages, ...Object.entries(pythonClient())].map(([path, text]) => ({
  path,
  text,
  file: resolve(root, path),
}));
const stale = files.filter(({ file, text }) => !existsSync(file) || readFileSync(file, "utf8") !== text);

if (process.argv.includes("--check")) {
  for (const { path } of stale) console.error(`${path} is not what the code says: npm run docs:reference`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const { file, text } of stale) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
