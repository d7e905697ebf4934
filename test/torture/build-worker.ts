import { symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const packages = resolve(import.meta.dirname, "../../node_modules");

/** Puts our part of the worker into one file, which starts in a third of the time: a thousand of them will be started. */
export async function buildWorker(folder: string): Promise<string> {
  await symlink(packages, join(folder, "node_modules"), "junction");
  // As the package: its version is read by its name.
  const manifest = {
    name: "rehearsal-eval",
    version: "0.0.0",
    type: "module",
    exports: { "./package.json": "./package.json" },
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  const bundle = await rolldown({
    input: join(import.meta.dirname, "torture-worker.ts"),
    platform: "node",
    external: (id) => !id.startsWith(".") && !id.startsWith("/"),
    logLevel: "silent",
  });
  await bundle.write({ dir: folder, format: "esm" });
  await bundle.close();
  return join(folder, "torture-worker.js");
}
