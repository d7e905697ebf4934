import { Pool } from "undici";
import { sinceStamp } from "../fake-model/stamp.ts";
import { percentile } from "../harness/statistics.ts";

interface LoadOptions {
  readonly url: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
  /** Goes on until so many were answered: code is warm after a number of calls, which a busy machine makes in its own time. */
  readonly atLeast?: number;
  /** The longest duration, for much slower services. */
  readonly atMostSeconds?: number;
  /** Part of every good answer. */
  readonly expected?: string;
}

interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** From the model's first word until it was here, for streams of the fake model; null for other answers. */
  readonly firstWord: number | null;
}

/** Every connection sends its next request when it has the whole answer to the one before. */
export async function runLoad({
  url,
  path,
  headers,
  body,
  connections,
  seconds,
  atLeast = 0,
  atMostSeconds = Number.POSITIVE_INFINITY,
  expected,
}: LoadOptions): Promise<LoadResult> {
  const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  const latencies: number[] = [];
  const firstWords: number[] = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  const isLate = (): boolean => performance.now() > began + atMostSeconds * 1000;

  async function sendOne(): Promise<void> {
    const sent = performance.now();
    const answer = await pool.request({
      method: "POST",
      path,
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    const chunks: Buffer[] = [];
    let firstWord: number | null = null;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      firstWord ??= sinceStamp(chunk.toString("latin1"));
      chunks.push(chunk);
    }
    if (firstWord !== null) firstWords.push(firstWord);
    latencies.push(performance.now() - sent);
    if (answer.statusCode === 200 && (expected === undefined || Buffer.concat(chunks).includes(expected))) return;
    throw new Error(`${path} answered ${answer.statusCode}: ${Buffer.concat(chunks).toString("utf8", 0, 200)}`);
  }

  try {
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (performance.now() < until || (latencies.length < atLeast && !isLate())) await sendOne();
      }),
    );
  } finally {
    await pool.destroy();
  }
  const took = (performance.now() - began) / 1000;
  return {
    requests: latencies.length,
    seconds: took,
    perSecond: latencies.length / took,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    firstWord: firstWords.length === 0 ? null : percentile(firstWords, 0.5),
  };
}
