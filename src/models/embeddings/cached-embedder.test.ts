import { expect, test } from "vitest";
import type { Embedder } from "../../contract/ports/embedder.ts";
import { cachedEmbedder } from "./cached-embedder.ts";

const options = { signal: new AbortController().signal };

function countingEmbedder() {
  const asked: string[] = [];
  let broken = false;
  const embedder: Embedder = {
    id: "counting",
    embed: async (texts) => {
      asked.push(...texts);
      if (broken) return { ok: false, error: { code: "upstream_error", detail: "down", retryable: true } };
      return { ok: true, vectors: texts.map((text) => [text.length]) };
    },
  };
  return { embedder, asked, fail: () => (broken = true) };
}

test("embeds a repeated text once, within and across calls", async () => {
  const { embedder, asked } = countingEmbedder();
  const cached = cachedEmbedder(embedder);
  expect(cached.id).toBe("counting");
  expect(await cached.embed(["a", "bb", "a"], options)).toEqual({ ok: true, vectors: [[1], [2], [1]] });
  expect(await cached.embed(["bb", "ccc"], options)).toEqual({ ok: true, vectors: [[2], [3]] });
  expect(asked).toEqual(["a", "bb", "ccc"]);
});

test("drops the least recently used text first, and never caches long texts", async () => {
  const { embedder, asked } = countingEmbedder();
  const cached = cachedEmbedder(embedder, { maximum: 2, longest: 3 });
  await cached.embed(["a", "b"], options);
  await cached.embed(["a"], options);
  await cached.embed(["c", "long"], options);
  asked.length = 0;
  await cached.embed(["a", "c"], options);
  expect(asked).toEqual([]);
  await cached.embed(["b", "long"], options);
  expect(asked).toEqual(["b", "long"]);
});

test("returns a failure without caching it", async () => {
  const { embedder, asked, fail } = countingEmbedder();
  const cached = cachedEmbedder(embedder);
  await cached.embed(["a"], options);
  fail();
  expect(await cached.embed(["a"], options)).toMatchObject({ ok: true });
  expect(await cached.embed(["a", "b"], options)).toMatchObject({ ok: false, error: { code: "upstream_error" } });
  await cached.embed(["b"], options);
  expect(asked).toEqual(["a", "b", "b"]);
});
