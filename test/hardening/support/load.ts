import { Pool } from "undici";

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
