import { request } from "undici";
import { Skip } from "../harness/skip.ts";

/** Bytes are counted, not kept: the answer to a million interactions would not fit here. */
interface Answered {
  readonly wallSeconds: number;
  readonly bytes: number;
}

/** POST /evaluate and the whole answer, however long it takes. Throws unless every interaction has a reply. */
export async function postEvaluation(service: string, body: string): Promise<Answered> {
  const began = performance.now();
  const answer = await request(`${service}/evaluate`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  let bytes = 0;
  let edges = "";
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (edges.length < 400) edges += chunk.toString("utf8", 0, 400);
  }
  const wallSeconds = (performance.now() - began) / 1000;
  if (answer.statusCode !== 200)
    throw new Error(`POST /evaluate answered ${answer.statusCode}: ${edges.slice(0, 300)}`);
  const { runs } = await getJson<{ runs: readonly RunView[] }>(`${service}/runs?limit=1`);
  refuseFailures(runs[0]);
  return { wallSeconds, bytes };
}

export interface RunView {
  readonly run_id: string;
  readonly state: string;
  readonly message: string;
  readonly progress: { interactions_total: number; interactions_done: number; interactions_failed: number };
}

/** Starts a run without waiting for it. */
export async function postRun(service: string, body: string): Promise<RunView> {
  const answer = await request(`${service}/evaluate`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "respond-async" },
    body,
  });
  if (answer.statusCode !== 202)
    throw new Error(`POST /evaluate answered ${answer.statusCode}: ${(await answer.body.text()).slice(0, 300)}`);
  return (await answer.body.json()) as RunView;
}

export async function getJson<Value>(url: string): Promise<Value> {
  const answer = await request(url, { headersTimeout: 0, bodyTimeout: 0 });
  if (answer.statusCode === 404) throw new Skip(`${new URL(url).pathname} is not there yet`);
  if (answer.statusCode !== 200)
    throw new Error(`${url} answered ${answer.statusCode}: ${(await answer.body.text()).slice(0, 300)}`);
  return (await answer.body.json()) as Value;
}

/** A bench of calls that failed would measure how quickly we fail. */
export function refuseFailures(run: RunView | undefined): void {
  const { interactions_total, interactions_done, interactions_failed } = run?.progress ?? {
    interactions_total: 0,
    interactions_done: 0,
    interactions_failed: 0,
  };
  if (run?.state === "completed" && interactions_done === interactions_total && interactions_failed === 0) return;
  throw new Error(
    `the run is ${run?.state}: ${interactions_done} of ${interactions_total} done, ${interactions_failed} failed`,
  );
}
