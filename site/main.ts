// npm run build:site: builds the documentation site into site/dist, ready to be copied below any path.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildSite } from "./build-site.ts";

const folder = join(import.meta.dirname, "dist");
rmSync(folder, { recursive: true, force: true });
try {
  await buildSite(folder);
  console.log(folder);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
