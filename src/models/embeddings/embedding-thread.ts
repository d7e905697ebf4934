import { parentPort, workerData } from "node:worker_threads";
import type { EmbeddingPackages } from "./embedding-packages.ts";
import type { EmbeddingAnswer, EmbeddingTask } from "./embedding-engine.ts";

/** The part of the engine's package that is used. */
interface Engine {
  createEmbedder(options: { model: unknown }): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}

const { engine, model } = workerData as EmbeddingPackages;
const { createEmbedder } = (await import(engine)) as Engine;
const { default: manifest } = (await import(model)) as { default: unknown };
const embedder = await createEmbedder({ model: manifest });

parentPort?.on("message", ({ id, text }: EmbeddingTask) => {
  // One text at a time: then what else is being scored cannot move a vector.
  embedder.embed([text]).then(
    ([vector]) => answer({ id, vector: [...(vector ?? [])] }),
    () => answer({ id, vector: null }),
  );
});

function answer(message: EmbeddingAnswer): void {
  parentPort?.postMessage(message);
}
