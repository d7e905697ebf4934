import type { Embedder, Embeddings } from "../../contract/ports/embedder.ts";
import type { AdapterOptions } from "../adapters/adapter-options.ts";
import { embeddingsUrl } from "../adapters/endpoint-url.ts";
import { explainOpenaiFailure } from "../adapters/openai-error.ts";
import { parseEndpoint } from "../outbound/parse-endpoint.ts";
import { embeddingFailure, parseEmbeddings } from "./embeddings-reply.ts";

/**
 * An embedding model behind an OpenAI-compatible `…/embeddings`. Texts that occur twice are sent once.
 *
 * @example openaiEmbedder({ outbound, endpoint: "https://api.openai.com/v1", modelId: "text-embedding-3-small" })
 */
export function openaiEmbedder({ outbound, endpoint, modelId, policy, credential }: AdapterOptions): Embedder {
  const parsed = parseEndpoint(endpoint);
  const url = parsed.ok ? embeddingsUrl(parsed.url) : endpoint;
  let dimensions: number | null = null;

  async function embedBatch(texts: readonly string[], signal: AbortSignal): Promise<Embeddings> {
    const result = await outbound.request({
      url,
      method: "POST",
      operation: "embeddings",
      // Endpoints refuse a text with nothing in it.
      body: JSON.stringify({ model: modelId, input: texts.map((text) => text || " "), encoding_format: "float" }),
      breakerKey: modelId,
      explainFailure: explainOpenaiFailure,
      signal,
      ...(policy && { policy }),
      ...(credential && { credential }),
    });
    if (!result.ok) return { ok: false, error: result.error };
    const embeddings = parseEmbeddings(result.body, { count: texts.length, url: new URL(url) });
    if (!embeddings.ok) return embeddings;
    const length = embeddings.vectors[0]?.length ?? 0;
    dimensions ??= length;
    return length === dimensions
      ? embeddings
      : embeddingFailure(`The vectors have ${length} numbers where the first ones had ${dimensions}.`);
  }

  return {
    id: `${modelId} at ${placeOf(url)}`,
    embed: async (texts, { signal }) => {
      signal.throwIfAborted();
      const known = new Map<string, readonly number[]>();
      for (const batch of toBatches([...new Set(texts)])) {
        const embeddings = await embedBatch(batch, signal);
        if (!embeddings.ok) return embeddings;
        for (const [index, vector] of embeddings.vectors.entries()) known.set(batch[index] ?? "", vector);
      }
      return { ok: true, vectors: texts.map((text) => known.get(text) ?? []) };
    },
  };
}

/** Where the model is, without the query: that may hold a key. */
function placeOf(url: string): string {
  const { origin, pathname } = URL.parse(url) ?? { origin: "nowhere", pathname: "" };
  return `${origin}${pathname.replace(/\/embeddings$/, "")}`;
}

/** What every server known to us takes in one request. */
const maximumTexts = 32;
const maximumCharacters = 100_000;

/** Cuts a list of texts into requests, in order. A text longer than a whole request goes alone. */
export function toBatches(texts: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let size = 0;
  for (const text of texts) {
    const last = batches.at(-1);
    size += text.length;
    if (last && last.length < maximumTexts && size <= maximumCharacters) last.push(text);
    else {
      batches.push([text]);
      size = text.length;
    }
  }
  return batches;
}
