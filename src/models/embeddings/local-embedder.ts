import type { Embedder, Embeddings } from "../../contract/ports/embedder.ts";
import { untilAborted } from "../../base/deadline.ts";
import { embeddingPackages, findEmbeddingPackages, type EmbeddingPackages } from "./embedding-packages.ts";
import { embeddingFailure } from "./embeddings-reply.ts";
import { EmbeddingEngine } from "./embedding-engine.ts";

/** The built-in embedder. Close it to end its thread at once. */
export interface LocalEmbedder extends Embedder, AsyncDisposable {
  readonly dimensions: number;
}

interface LocalEmbedderOptions {
  readonly packages?: EmbeddingPackages;
  /** How long the thread, and its 300 MB, stay after the last text. */
  readonly idleMs?: number;
  /** Told why the engine failed. The cause may name files of this machine, so it is for the log only. */
  readonly onFailure?: (cause: unknown) => void;
}

/** The model reads 256 tokens; no text needs more characters to fill them, and longer ones would only be cut up for nothing. */
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
        // The thread ends the text it is at; what comes of it is not waited for.
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
