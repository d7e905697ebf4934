import type { Embedder } from "../../contract/ports/embedder.ts";

/**
 * Remembers the vectors of the texts seen last. Every attempt of a run compares with the same references, so most of what is
 * asked for has been asked before. Very long texts are not worth the memory.
 */
export function cachedEmbedder(
  embedder: Embedder,
  { maximum = 5000, longest = 4000 }: { maximum?: number; longest?: number } = {},
): Embedder {
  const known = new Map<string, readonly number[]>();

  function remember(text: string, vector: readonly number[]): void {
    if (text.length > longest) return;
    // Taken out and put back, so that the first key is always the one unused for longest.
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
