import { Pool } from "undici";

/** HARDENING_LOAD=full runs the whole size; what runs on every change is the same in small. */
const fullSize = process.env["HARDENING_LOAD"] === "full";
export const size = fullSize
  ? {
      seconds: 30,
      warmUpSeconds: 5,
      connections: 1000,
      slowClients: 1500,
      stops: 100,
      disconnects: 1000,
      lateMs: 10_000,
      // The heap that Node gives a process in a container of 1 GiB.
      heapMegabytes: 512,
      largeBodies: 500,
      largeBodyBytes: 4_000_000,
    }
  : {
      seconds: 2,
      warmUpSeconds: 1,
      connections: 200,
      slowClients: 300,
      stops: 2,
      disconnects: 100,
      lateMs: 1000,
      heapMegabytes: 128,
      largeBodies: 60,
      largeBodyBytes: 2_000_000,
    };
/** Figures of the whole size stand beside those of every change. */
export const sized = (suite: string): string => (fullSize ? `${suite}, full size` : suite);
/** Time a test may take: nothing fails for being slow, only for never ending. */
export const patience = fullSize ? 1_800_000 : 180_000;

/** The smallest evaluation there is. */
export const evaluationOf = (endpoint: string) => ({
  test_batch: { id: "s", interactions: [{ id: "1", user_message: "Hi" }] },
  endpoint,
  model_id: "m",
});

export const percentile = (values: readonly number[], share: number) =>
  Math.round(
    values.toSorted((left, right) => left - right)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0,
  );

export async function timed<Value>(work: () => Promise<Value>): Promise<{ value: Value; ms: number }> {
  const started = performance.now();
  const value = await work();
  return { value, ms: performance.now() - started };
}

export interface LoadAnswer {
  readonly status: number;
  readonly retryAfter: boolean;
  readonly body: Readonly<Record<string, unknown>>;
  readonly ms: number;
}

/** A client that keeps many connections open. A request that gets no answer is null. */
export interface LoadClient extends AsyncDisposable {
  post(path: string, body: string | Uint8Array, headers?: Readonly<Record<string, string>>): Promise<LoadAnswer | null>;
}

export function createLoadClient(base: string, { connections }: { connections: number }): LoadClient {
  const pool = new Pool(base, { connections });
  return {
    async post(path, body, headers = {}) {
      const started = performance.now();
      try {
        const sent = { "content-type": "application/json", ...headers };
        const answer = await pool.request({ path, method: "POST", headers: sent, body });
        const json = (await answer.body.json()) as LoadAnswer["body"];
        const retryAfter = answer.headers["retry-after"] !== undefined;
        return { status: answer.statusCode, retryAfter, body: json, ms: performance.now() - started };
      } catch {
        return null;
      }
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}
