import { isRecord } from "../../base/json.ts";
import { isRetryable, type ErrorCode } from "../../contract/errors/errors.ts";
import type { Embedder, Embeddings } from "../../contract/ports/embedder.ts";
import type { AdapterOptions } from "../adapters/http-chat-model.ts";
import { explainErrorObject, explainOpenaiFailure } from "../adapters/openai-error.ts";
import { parseJson } from "../adapters/reply/json-values.ts";
import { parseEndpoint } from "../outbound/endpoint-policy.ts";
import { operationUrl } from "../outbound/endpoint-url.ts";

/**
 * An embedding model behind an OpenAI-compatible `…/embeddings`. Texts that occur twice are sent once.
 *
 * @example openaiEmbedder({ outbound, endpoint: "https://api.openai.com/v1", modelId: "text-embedding-3-small" })
 */
export function openaiEmbedder({ outbound, endpoint, modelId, policy, credential }: AdapterOptions): Embedder {
  const parsed = parseEndpoint(endpoint);
  const url = parsed.ok ? operationUrl(parsed.url, "embeddings") : endpoint;
  let dimensions: number | null = null;

  async function embedBatch(texts: readonly string[], signal: AbortSignal): Promise<Embeddings> {
    const result = await outbound.request({
      url,
      method: "POST",
      operation: "embeddings",
      // Endpoints refuse an empty text.
      body: JSON.stringify({ model: modelId, input: texts.map((text) => text || " "), encoding_format: "float" }),
      breakerKey: modelId,
      explainFailure: explainOpenaiFailure,
      signal,
      policy,
      credential,
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
    id: `${modelId} at ${vectorPlace(url)}`,
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

/** The model's address without the query, which may hold a key. */
function vectorPlace(url: string): string {
  const { origin, pathname } = URL.parse(url) ?? { origin: "nowhere", pathname: "" };
  return `${origin}${pathname.replace(/\/embeddings$/, "")}`;
}

/** The limits of one request that all known servers accept. */
const maximumTexts = 32;
const maximumCharacters = 100_000;

/** Splits texts into requests, in order. A text over the limit gets a request of its own. */
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

type FailedEmbeddings = Extract<Embeddings, { ok: false }>;

/** Reads an answer of `…/embeddings`: exactly `count` vectors of one length, ordered by index. */
function parseEmbeddings(body: string, { count, url }: { count: number; url: URL }): Embeddings {
  const answer = parseJson(body);
  if (!isRecord(answer)) return embeddingFailure("The answer is not a JSON object: check the path of the endpoint.");
  if (answer["error"]) {
    const { code, detail } = explainErrorObject(answer["error"], url);
    return embeddingFailure(detail, code);
  }
  const entries: readonly unknown[] = Array.isArray(answer["data"]) ? answer["data"] : [];
  if (entries.length !== count) {
    return embeddingFailure(`The answer holds ${entries.length} vectors where ${count} were asked for.`);
  }
  return vectorsInOrder(entries);
}

export function embeddingFailure(detail: string, code: ErrorCode = "upstream_invalid_reply"): FailedEmbeddings {
  return { ok: false, error: { code, detail, retryable: isRetryable(code) } };
}

function vectorsInOrder(entries: readonly unknown[]): Embeddings {
  const vectors = new Map<unknown, readonly number[]>();
  for (const [position, entry] of entries.entries()) {
    const { index = position, embedding } = isRecord(entry) ? entry : {};
    const vector = toVector(embedding);
    if (!vector) return embeddingFailure("The answer holds something that is not a vector of numbers.");
    vectors.set(index, vector);
  }
  const ordered = entries.map((_, index) => vectors.get(index) ?? []);
  const [first = []] = ordered;
  if (first.length === 0 || ordered.some((vector) => vector.length !== first.length)) {
    return embeddingFailure("The vectors of the answer are not numbered one by one, or differ in length.");
  }
  return { ok: true, vectors: ordered };
}

function toVector(value: unknown): readonly number[] | null {
  const numbers: readonly unknown[] | null = typeof value === "string" ? fromBase64(value) : asArray(value);
  return numbers?.every((number): number is number => Number.isFinite(number)) ? numbers : null;
}

function asArray(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

/** Some servers always send base64 of 32-bit floats, whatever format was requested. */
function fromBase64(text: string): readonly number[] | null {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0 || bytes.length % 4 !== 0) return null;
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
