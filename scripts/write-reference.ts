// Writes the generated pages of docs/. With --check it writes nothing and fails when a page is not what it would write.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { referencePages } from "./reference/pages.ts";

const docs = resolve(import.meta.dirname, "../docs");
const pages = Object.entries(await referencePages()).map(([path, text]) => ({ path, text, file: resolve(docs, path) }));
const stale = pages.filter(({ file, text }) => !existsSync(file) || readFileSync(file, "utf8") !== text);

if (process.argv.includes("--check")) {
  for (const { path } of stale) console.error(`docs/${path} is not what the code says: npm run docs:reference`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const { file, text } of stale) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
