import type { NewRun } from "../../src/contract/ports/store.ts";
import { withoutUserTurns } from "../../src/evaluation/simulation/attempt-user.ts";
import { startServe } from "../hardening/support/serve-process.ts";
import { callsAtOnce, leaseMs } from "./tortured-storage.ts";

interface DoomedServiceOptions {
  /** A database file, or the address of a PostgreSQL. */
  readonly address: string;
  readonly run: Pick<NewRun, "settings" | "scenarios">;
  /** Resolves when it is time to die. */
  readonly until: () => Promise<void>;
}

/** Starts `rehearsal serve`, hands it a run and kills it with SIGKILL while it works. Returns the id of the run it accepted. */
export async function runOnDoomedService({ address, run, until }: DoomedServiceOptions): Promise<string> {
  await using service = await startServe(
    {
      DATABASE_URL: address.startsWith("postgres:") ? address : `sqlite:${address}`,
      REHEARSAL_CONCURRENCY_PER_ORIGIN: String(callsAtOnce),
      LOG_LEVEL: "silent",
    },
    { limits: { lease_ms: leaseMs } },
  );
  const dying = until();
  const id = await post(service.evaluation, run);
  await dying;
  service.child.kill("SIGKILL");
  await service.ended;
  return id;
}

async function post(service: string, { settings, scenarios }: Pick<NewRun, "settings" | "scenarios">): Promise<string> {
  const { endpoint, model_id, test_name, simulator, protocol, world_address } = settings;
  const test_batch = scenarios.map(withoutUserTurns);
  const answer = await fetch(`${service}/evaluate`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "respond-async" },
    body: JSON.stringify({ test_batch, endpoint, model_id, test_name, simulator, protocol, world_address }),
  });
  const body = (await answer.json()) as { run_id: string };
  if (answer.status !== 202) throw new Error(`POST /evaluate answered ${answer.status}: ${JSON.stringify(body)}`);
  return body.run_id;
}
