import { untilAborted } from "../../base/deadline.ts";
import type { Embedder, Embeddings } from "../../contract/ports/embedder.ts";
import {
  EmbeddingEngine,
  embeddingPackages,
  findEmbeddingPackages,
  type EmbeddingPackages,
} from "./embedding-engine.ts";
import { embeddingFailure } from "./openai-embeddings.ts";

/** The built-in embedder. Close it to end its thread at once. */
export interface LocalEmbedder extends Embedder, AsyncDisposable {
  readonly dimensions: number;
}

interface LocalEmbedderOptions {
  readonly packages?: EmbeddingPackages;
  /** Time after the last text until the thread and its 300 MB are released. */
  readonly idleMs?: number;
  /** Gets the cause when the engine fails. It may name files of this machine, so it is for the log only. */
  readonly onFailure?: (cause: unknown) => void;
}

/** More characters than the model's 256 tokens can hold; the rest of a longer text would be tokenized in vain. */
const longestText = 16_000;

/**
 * all-MiniLM-L6-v2 in WebAssembly, from npm packages that are installed separately. English only; of a long text the first
 * 256 tokens, about 190 words, count. Nothing is loaded until the first text.
 *
 * @example
 * const found = await findLocalEmbedder();
 * if (!found.ok) console.log(found.reason); // what to install
 */
export async function findLocalEmbedder({
  packages = embeddingPackages,
  idleMs = 300_000,
  onFailure = () => {},
}: LocalEmbedderOptions = {}): Promise<
  { readonly ok: true; readonly embedder: LocalEmbedder } | { readonly ok: false; readonly reason: string }
> {
  const found = await findEmbeddingPackages(packages);
  if (!found.ok) return found;
  const { id, dimensions } = found.installed;
  const engine = new EmbeddingEngine(packages, { idleMs });

  async function embed(texts: readonly string[], { signal }: { signal: AbortSignal }): Promise<Embeddings> {
    const vectors: (readonly number[])[] = [];
    for (const text of texts) {
      try {
        signal.throwIfAborted();
        // The thread finishes its current text; its result is dropped.
        const vector = await untilAborted(engine.run(text.slice(0, longestText)), signal);
        if (vector.length !== dimensions) throw new Error(`The engine gave ${vector.length} numbers.`);
        vectors.push(vector);
      } catch (cause) {
        signal.throwIfAborted();
        onFailure(cause);
        return embeddingFailure("The built-in embedder failed on a text; the log has the cause.", "internal_error");
      }
    }
    return { ok: true, vectors };
  }

  return { ok: true, embedder: { id, dimensions, embed, [Symbol.asyncDispose]: () => engine.close() } };
}
