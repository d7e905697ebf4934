import type { Embedder } from "../../contract/ports/embedder.ts";

/**
 * Caches the vectors of recent texts: every attempt of a run compares with the same references. Very long texts are not
 * cached.
 */
export function cachedEmbedder(
  embedder: Embedder,
  { maximum = 5000, longest = 4000 }: { maximum?: number; longest?: number } = {},
): Embedder {
  const known = new Map<string, readonly number[]>();

  function remember(text: string, vector: readonly number[]): void {
    if (text.length > longest) return;
    // Deleted and inserted again, so that the first key is the least recently used.
    known.delete(text);
    known.set(text, vector);
    const [oldest] = known.keys();
    if (known.size > maximum && oldest !== undefined) known.delete(oldest);
  }

  return {
    id: embedder.id,
    embed: async (texts, options) => {
      options.signal.throwIfAborted();
      const found = new Map(texts.map((text) => [text, known.get(text)]));
      const missing = [...found].flatMap(([text, vector]) => (vector ? [] : [text]));
      if (missing.length > 0) {
        const embeddings = await embedder.embed(missing, options);
        if (!embeddings.ok) return embeddings;
        for (const [index, text] of missing.entries()) found.set(text, embeddings.vectors[index]);
      }
      for (const [text, vector] of found) if (vector) remember(text, vector);
      return { ok: true, vectors: texts.map((text) => found.get(text) ?? []) };
    },
  };
}
