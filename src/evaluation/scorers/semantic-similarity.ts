import type { Embedder } from "../../contract/ports/embedder.ts";
import type { SemanticDetails, StoredScores } from "../../contract/schemas/interaction-result.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import type { Score } from "../../contract/schemas/scores/score.ts";
import { referenceReplies } from "../conversation/conversation.ts";
import {
  semanticSimilarity,
  type SemanticInput,
  type SemanticScore,
  type SemanticScorer,
} from "../../scoring/scorers/semantic-similarity.ts";

const { name } = semanticSimilarity;
/** With fewer references there is no rescaling: the mean of mismatched pairs would be unreliable. */
const minimumBaseline = 8;
/** References used for the baseline: 64 give 2,016 pairs. */
const maximumBaseline = 64;
/** Cached vectors. References are needed in every attempt, replies rarely again: they must not evict references. */
const keptReferences = 2_000;
const keptReplies = 200;

/**
 * `semantic_similarity`: max(0, (cos - b) / (1 - b)), where the baseline b is the mean cosine of unrelated references of this
 * suite. Embedders compress the range of cosines differently; b is what this one gives to unrelated texts.
 */
export function createSemanticScorer({
  embedder,
  scenarios,
}: {
  embedder: Embedder;
  scenarios: readonly Scenario[];
}): SemanticScorer {
  const ofReferences = createVectorCache(keptReferences);
  const ofReplies = createVectorCache(keptReplies);
  let baseline: number | null = null;
  let search: Promise<number | null> | null = null;
  /** The last error of the embedder. */
  let lastError = "it gave no vector";

  /** One text per call: with int8 weights, other texts in the batch would change the result. */
  async function vectorOf(text: string, cache: VectorCache, signal: AbortSignal): Promise<readonly number[] | null> {
    const known = cache.get(text);
    if (known) return known;
    const embeddings = await embedder.embed([text], { signal });
    if (!embeddings.ok) lastError = `${embeddings.error.code}: ${embeddings.error.detail}`;
    const vector = embeddings.ok ? embeddings.vectors[0] : undefined;
    if (!vector) return null;
    cache.set(text, vector);
    return vector;
  }

  /** Concurrent first replies share one measurement. */
  async function findBaseline(signal: AbortSignal): Promise<number | null> {
    if (baseline !== null) return baseline;
    const measuring = search;
    if (!measuring) return (search = measureBaseline(signal).finally(() => (search = null)));
    try {
      return await measuring;
    } catch {
      // The measuring call was aborted, or failed; this one tries again.
      signal.throwIfAborted();
      return findBaseline(signal);
    }
  }

  async function measureBaseline(signal: AbortSignal): Promise<number | null> {
    const texts = mismatchedReferences(scenarios);
    if (texts.length < minimumBaseline) return (baseline = 0);
    const list: (readonly number[])[] = [];
    for (const text of texts) {
      const vector = await vectorOf(text, ofReferences, signal);
      if (!vector) return null;
      list.push(vector);
    }
    return (baseline = meanCosine(list));
  }

  return async ({ reply, references }, signal) => {
    const plain = trivialScore({ reply, references });
    if (plain) return plain;
    const b = await findBaseline(signal);
    const own = ofReferences.get(reply) ?? (await vectorOf(reply, ofReplies, signal));
    if (b === null || !own) return similarityFailure(lastError);

    let best: number | null = null;
    for (const reference of references) {
      if (reference.trim() === "") continue;
      const vector = await vectorOf(reference, ofReferences, signal);
      if (!vector) return similarityFailure(lastError);
      const value = cosine(own, vector);
      if (value !== null && (best === null || value > best)) best = value;
    }
    if (best === null) return similarityFailure("its vectors cannot be compared");
    const details = { cosine: best, baseline: b, embedder: embedder.id };
    return { score: toSemanticScore(details), details };
  };
}

function toSemanticScore({ cosine: raw, baseline, embedder }: SemanticDetails): Score {
  const value = baseline < 1 ? Math.min(1, Math.max(0, (raw - baseline) / (1 - baseline))) : 0;
  const reason = `cosine ${raw.toFixed(3)}, rescaled from ${baseline.toFixed(3)} (${embedder})`;
  return { name, value, reason };
}

/** The result when a text is empty or missing, else null. */
function trivialScore({ reply, references }: SemanticInput): SemanticScore | null {
  const scored = (value: number | null, reason: string): SemanticScore => ({ score: { name, value, reason } });
  if (references.length === 0) return scored(null, "no reference reply");
  const filled = references.filter((reference) => reference.trim() !== "").length;
  if (reply.trim() === "")
    return filled < references.length ? scored(1, "both are empty") : scored(0, "the reply is empty");
  return filled === 0 ? scored(0, "the reply should be empty") : null;
}

/** Rebuilds the score from stored details, without the embedder. Null when there was none. */
export function semanticFromStored(input: SemanticInput, earlier: StoredScores): SemanticScore | null {
  if (earlier.semantic) return { score: toSemanticScore(earlier.semantic), details: earlier.semantic };
  const { [name]: reason } = earlier.score_reasons;
  if (reason === undefined) return null;
  return trivialScore(input) ?? { score: { name, value: null, reason, failed: true } };
}

function similarityFailure(why: string): SemanticScore {
  return { score: { name, value: null, reason: `the embedder failed: ${why}`, failed: true } };
}

/** Distinct first references of interactions, evenly sampled over the suite. */
function mismatchedReferences(scenarios: readonly Scenario[]): string[] {
  const texts = new Set<string>();
  for (const { interactions } of scenarios) {
    for (const interaction of interactions) {
      const [first = ""] = referenceReplies(interaction);
      if (first.trim() !== "") texts.add(first);
    }
  }
  const all = [...texts];
  const step = Math.max(1, all.length / maximumBaseline);
  return Array.from(
    { length: Math.min(maximumBaseline, all.length) },
    (_, index) => all[Math.floor(index * step)] as string,
  );
}

function meanCosine(vectors: readonly (readonly number[])[]): number {
  let sum = 0;
  let pairs = 0;
  for (const [index, left] of vectors.entries()) {
    for (const right of vectors.slice(index + 1)) {
      const value = cosine(left, right);
      if (value === null) continue;
      sum += value;
      pairs++;
    }
  }
  return pairs === 0 ? 0 : Math.max(0, sum / pairs);
}

/** Cosine of two vectors, -1..1; null when one is zero or their sizes differ. */
export function cosine(left: readonly number[], right: readonly number[]): number | null {
  if (left.length !== right.length || left.length === 0) return null;
  let product = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (let index = 0; index < left.length; index++) {
    const one = left[index] as number;
    const other = right[index] as number;
    product += one * other;
    leftSquares += one * one;
    rightSquares += other * other;
  }
  const size = Math.sqrt(leftSquares) * Math.sqrt(rightSquares);
  return size > 0 && Number.isFinite(size) ? Math.max(-1, Math.min(1, product / size)) : null;
}

/** A least recently used cache of vectors by text. */
interface VectorCache {
  get(text: string): readonly number[] | undefined;
  set(text: string, vector: readonly number[]): void;
}

function createVectorCache(most: number): VectorCache {
  const vectors = new Map<string, readonly number[]>();
  const put = (text: string, vector: readonly number[]): void => {
    vectors.delete(text);
    vectors.set(text, vector);
  };
  return {
    get(text) {
      const vector = vectors.get(text);
      if (vector) put(text, vector);
      return vector;
    },
    set(text, vector) {
      put(text, vector);
      const oldest = vectors.keys().next();
      if (vectors.size > most && !oldest.done) vectors.delete(oldest.value);
    },
  };
}
