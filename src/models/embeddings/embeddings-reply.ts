import { isRecord } from "../../base/json.ts";
import { isRetryable, type ErrorCode } from "../../contract/errors.ts";
import type { Embeddings } from "../../contract/ports/embedder.ts";
import { explainErrorObject } from "../adapters/openai-error.ts";
import { parseJson } from "../adapters/parse-json.ts";

type FailedEmbeddings = Extract<Embeddings, { ok: false }>;

/** Reads an answer of `…/embeddings`: exactly `count` vectors of one length, put in order by their index. */
export function parseEmbeddings(body: string, { count, url }: { count: number; url: URL }): Embeddings {
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
  return inOrder(entries);
}

export function embeddingFailure(detail: string, code: ErrorCode = "upstream_invalid_reply"): FailedEmbeddings {
  return { ok: false, error: { code, detail, retryable: isRetryable(code) } };
}

function inOrder(entries: readonly unknown[]): Embeddings {
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

/** Some servers always answer with the bytes of 32-bit floats, whatever they were asked for. */
function fromBase64(text: string): readonly number[] | null {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0 || bytes.length % 4 !== 0) return null;
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
