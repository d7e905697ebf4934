import { parentPort, workerData } from "node:worker_threads";
import type { EmbeddingAnswer, EmbeddingPackages, EmbeddingTask } from "./embedding-engine.ts";

/** The used part of the engine's package. */
interface Engine {
  createEmbedder(options: { model: unknown }): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
}

const { engine, model } = workerData as EmbeddingPackages;
const { createEmbedder } = (await import(engine)) as Engine;
const { default: manifest } = (await import(model)) as { default: unknown };
const embedder = await createEmbedder({ model: manifest });

parentPort?.on("message", ({ id, text }: EmbeddingTask) => {
  // One text at a time: vectors must not depend on the other texts of a batch.
  embedder.embed([text]).then(
    ([vector]) => answerEmbedding({ id, vector: [...(vector ?? [])] }),
    () => answerEmbedding({ id, vector: null }),
  );
});

function answerEmbedding(message: EmbeddingAnswer): void {
  parentPort?.postMessage(message);
}
