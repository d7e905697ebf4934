import fc from "fast-check";
import { expect, test } from "vitest";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import type { Behaviour } from "../../../test/support/fake-provider/behaviour.ts";
import { modelNotFound, okWithError, unauthorized } from "../../../test/support/fake-provider/error-statuses.ts";
import { html } from "../../../test/support/fake-provider/malformed-replies.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { createOutbound } from "../outbound/create-outbound.ts";
import { openaiEmbedder, toBatches } from "./openai-embeddings.ts";

const { signal } = new AbortController();

async function embed(behaviour: Behaviour, texts: readonly string[], path = "/v1") {
  await using provider = await startFakeProvider({ behaviour });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const embedder = openaiEmbedder({ outbound, endpoint: `${provider.origin}${path}`, modelId: "embed-1" });
  return { result: await embedder.embed(texts, { signal }), id: embedder.id, sent: provider.requests, provider };
}

/** Answers each text with its length, in reverse order, as a list of numbers or as bytes. */
const lengths =
  (encode: (vector: number[]) => unknown = (vector) => vector): Behaviour =>
  (call) => {
    const input = call.request.body?.["input"] as string[];
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: encode([text.length, 0.5]) }));
    return json({ object: "list", data: data.toReversed(), model: "embed-1", usage: { total_tokens: 1 } })(call);
  };

const base64 = (vector: number[]) => Buffer.from(Float32Array.from(vector).buffer).toString("base64");

test.each([
  ["numbers", lengths()],
  ["base64", lengths(base64)],
])("vectors sent as %s come back in the order of the texts", async (_, behaviour) => {
  const { result, sent, id, provider } = await embed(behaviour, ["aaa", "b", "aaa", "cc", ""]);
  expect(result).toEqual({
    ok: true,
    vectors: [
      [3, 0.5],
      [1, 0.5],
      [3, 0.5],
      [2, 0.5],
      [1, 0.5],
    ],
  });
  expect(sent).toMatchObject([
    {
      path: "/v1/embeddings",
      body: { model: "embed-1", input: ["aaa", "b", "cc", " "], encoding_format: "float" },
    },
  ]);
  expect(id).toBe(`embed-1 at ${provider.origin}/v1`);
});

test("leaves the query out of the id, because it may hold a key", async () => {
  expect((await embed(lengths(), ["a"], "/v1/embeddings?key=secret")).id).toMatch(/\/v1$/);
});

test("splits many texts into requests and sends none without texts", async () => {
  const texts = Array.from({ length: 70 }, (_, index) => "x".repeat(index + 1));
  const { result, sent } = await embed(lengths(), texts);
  expect(sent.map(({ body }) => (body as { input: string[] } | null)?.input.length)).toEqual([32, 32, 6]);
  expect(result.ok && result.vectors.map(([length]) => length)).toEqual(texts.map((text) => text.length));
  expect(await embed(lengths(), [])).toMatchObject({ result: { ok: true, vectors: [] }, sent: [] });
});

test("batches every text once, in order, within the limits", () => {
  const texts = fc.array(
    fc.integer({ min: 0, max: 150_000 }).map((length) => "x".repeat(length)),
    { maxLength: 50 },
  );
  fc.assert(
    fc.property(texts, (list) => {
      const batches = toBatches(list);
      expect(batches.flat()).toEqual(list);
      for (const batch of batches) {
        expect(batch.length).toBeLessThanOrEqual(32);
        expect(batch.length === 1 || batch.join("").length <= 100_000).toBe(true);
      }
    }),
    { numRuns: 30 },
  );
});

const data = (...embeddings: readonly unknown[]) =>
  json({ data: embeddings.map((embedding, index) => ({ index, embedding })) });

test.each<[string, Behaviour, string]>([
  ["too few vectors", data([1, 2]), "upstream_invalid_reply"],
  ["vectors of different lengths", data([1, 2], [1]), "upstream_invalid_reply"],
  ["empty vectors", data([], []), "upstream_invalid_reply"],
  ["text in a vector", data([1, "x"], [1, 2]), "upstream_invalid_reply"],
  ["null in a vector", data([1, null], [1, 2]), "upstream_invalid_reply"],
  ["bytes that are no floats", data("AAAA", "AAAA"), "upstream_invalid_reply"],
  ["bytes that are not numbers", data(base64([Number.NaN]), base64([1])), "upstream_invalid_reply"],
  [
    "the same index twice",
    json({ data: [1, 1].map((index) => ({ index, embedding: [1] })) }),
    "upstream_invalid_reply",
  ],
  ["a web page", html, "upstream_invalid_reply"],
  ["an error that HTTP calls a success", okWithError({ code: 429, message: "secret text" }), "upstream_rate_limited"],
  ["a wrong key", unauthorized, "upstream_auth"],
  ["an unknown model", modelNotFound, "model_not_found"],
])("%s is a failure", async (_, behaviour, code) => {
  const { result } = await embed(behaviour, ["a", "b"]);
  expect(result).toMatchObject({ ok: false, error: { code, detail: expect.any(String) } });
  expect(JSON.stringify(result)).not.toContain("secret text");
});

test("refuses vectors of a different length", async () => {
  await using provider = await startFakeProvider({ script: [data([1, 2]), data([1, 2, 3])] });
  await using outbound = createOutbound();
  const embedder = openaiEmbedder({ outbound, endpoint: provider.url, modelId: "m" });
  expect(await embedder.embed(["a"], { signal })).toMatchObject({ ok: true });
  expect(await embedder.embed(["b"], { signal })).toMatchObject({ ok: false });
});

test("fails for an unusable endpoint, and rejects with the caller's abort reason", async () => {
  await using outbound = createOutbound();
  const embedder = openaiEmbedder({ outbound, endpoint: "not a url", modelId: "m" });
  expect(await embedder.embed(["a"], { signal })).toMatchObject({ ok: false, error: { code: "endpoint_invalid" } });
  await expect(embedder.embed(["a"], { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
});
