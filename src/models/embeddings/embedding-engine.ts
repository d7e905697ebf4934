import { Worker } from "node:worker_threads";
import { threadFile } from "../../base/thread-file.ts";
import type { EmbeddingPackages } from "./embedding-packages.ts";

export interface EmbeddingTask {
  readonly id: number;
  readonly text: string;
}

export interface EmbeddingAnswer {
  readonly id: number;
  /** Null when the engine failed on this text. */
  readonly vector: readonly number[] | null;
}

interface Waiting {
  readonly resolve: (vector: readonly number[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The engine in a thread of its own, so that it never holds up the event loop. It starts with the first text, does not keep
 * the process alive, starts anew after a crash, and gives its memory back after a while without work.
 */
export class EmbeddingEngine {
  readonly #packages: EmbeddingPackages;
  readonly #idleMs: number;
  readonly #waiting = new Map<number, Waiting>();
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
    // A thread that ended earlier has nothing to do with what the present one works on.
    if (this.#worker !== worker) return;
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
