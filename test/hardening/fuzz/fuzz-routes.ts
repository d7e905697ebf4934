import fc from "fast-check";
import { Pool } from "undici";
import { send } from "../../support/http.ts";
import { newSeed, sizes } from "../../support/sizes.ts";
import { report } from "../support/figures.ts";
import { createAnswerCheck, type FuzzAnswer } from "./check-answer.ts";
import { toOpenApi, type OpenApi } from "./open-api.ts";
import { requestsFor, type FuzzRequest, type Knowledge, type Route } from "./requests.ts";

const runsPerRoute = sizes.fuzzRequests;
/** Printed with the figures, and part of what a failed test shows. */
const seed = newSeed("FUZZ_SEED");
const atOnce = 16;
const slowMs = 2000;
const megabyte = 1024 ** 2;

/** Long enough for a busy machine: what takes too long shows in the figures. */
export const fuzzTimeout = 60_000 + runsPerRoute * 400;

interface FuzzedRoutes {
  readonly suite: string;
  readonly base: string;
  /** Memory of the service in bytes. */
  readonly memory: () => Promise<number>;
  readonly covers: (path: string) => boolean;
  /** Called before each route, because one of them deletes runs. */
  readonly learn: () => Promise<Knowledge>;
}

interface FuzzOutcome {
  /** Repeats the run when it is given as FUZZ_SEED. */
  readonly seed: number;
  readonly alive: boolean;
  /** The first of each kind, with its request. */
  readonly complaints: readonly string[];
}

/** Sends every covered route of a service what its own document allows, nearly allows and forbids, and reads the answers by it. */
export async function fuzzRoutes({ suite, base, memory, covers, learn }: FuzzedRoutes): Promise<FuzzOutcome> {
  const api = toOpenApi((await send(`${base}/openapi.json`)).body);
  const check = createAnswerCheck(api);
  const statuses = new Map<number, number>();
  const complaints = new Map<string, string>();
  let count = 0;
  let slowest = 0;
  await using pool = createPool(base);

  async function attempt(route: Route, request: FuzzRequest): Promise<void> {
    const started = performance.now();
    const answer = await pool.exchange(request).catch((error: Error) => error);
    slowest = Math.max(slowest, performance.now() - started);
    count += 1;
    const status = answer instanceof Error ? 0 : answer.status;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const problems = answer instanceof Error ? [`no answer: ${answer.message}`] : check(route, request, answer);
    for (const problem of problems) {
      const key = `${route.method} ${route.path}: ${problem.slice(0, 120)}`;
      if (!complaints.has(key)) complaints.set(key, `${problem}\n  for ${JSON.stringify(request).slice(0, 1500)}`);
    }
  }

  const routes = routesOf(api, covers);
  const memories: number[] = [];
  for (const route of routes) {
    const queue = fc.sample(requestsFor(route, api, await learn()), { numRuns: runsPerRoute, seed }).values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const request of queue) await attempt(route, request);
      }),
    );
    memories.push((await memory()) / megabyte);
  }
  report(`schema fuzz, ${suite}`, {
    routes: routes.length,
    "per route": runsPerRoute,
    requests: count,
    statuses: inWords(statuses),
    "slower than 2 s": slowest > slowMs ? `yes (${Math.round(slowest)} ms)` : "none",
    "memory after the first route and the last, MB": `${Math.round(memories[0] ?? 0)} → ${Math.round(memories.at(-1) ?? 0)}`,
    seed,
  });
  const alive = (await send(`${base}/healthz`)).status === 200;
  return { seed, alive, complaints: [...complaints.values()].slice(0, 20) };
}

/** The outcome of a fuzzed service without problems. */
export const unharmed = { seed, alive: true, complaints: [] } satisfies FuzzOutcome;

function routesOf(api: OpenApi, covers: (path: string) => boolean): readonly Route[] {
  return Object.entries(api.paths)
    .filter(([path]) => covers(path))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
}

/** Connections that stay open: at this number of requests a new one each would be most of the work. */
function createPool(base: string): AsyncDisposable & { exchange(request: FuzzRequest): Promise<FuzzAnswer> } {
  const pool = new Pool(base, { connections: atOnce });
  return {
    async exchange({ method, target, headers, body }) {
      const answer = await pool.request({
        method: method as "GET",
        path: target,
        headers,
        ...(body !== undefined && { body }),
      });
      const type = String(answer.headers["content-type"] ?? "");
      return { status: answer.statusCode, type, headers: answer.headers, text: await answer.body.text() };
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

function inWords(statuses: ReadonlyMap<number, number>): string {
  return [...statuses]
    .toSorted(([left], [right]) => left - right)
    .map(([status, times]) => `${status}×${times}`)
    .join(" ");
}
