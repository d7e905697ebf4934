import { randomUUID, randomUUIDv7 } from "node:crypto";
import { once } from "node:events";
import { createWorldListener } from "../../src/cli/composition/world-listener.ts";
import { createChatModel } from "../../src/models/protocols/create-chat-model.ts";
import { createOutbound } from "../../src/models/outbound/create-outbound.ts";
import { createRuns } from "../../src/runs/create-runs.ts";
import { runWorker } from "../../src/runs/run-worker.ts";
import { thisHost } from "../../src/storage/tables/host.ts";
import { callsAtOnce, openTortured } from "./tortured-storage.ts";

/** A worker like `rehearsal serve --worker`, to be killed. It begins with the first line on stdin and drains at SIGTERM. */
const [address = ""] = process.argv.slice(2);
const stopping = new AbortController();
process.once("SIGTERM", () => stopping.abort());
// Loaded before it begins, so that a short life is enough for calls in a world.
await import("@modelcontextprotocol/server");
await once(process.stdin, "data");
const onError = (error: unknown): void => void process.stderr.write(`${String(error)}\n`);

const worker = `${thisHost()}:${process.pid}:${randomUUID()}`;
await using storage = await openTortured(address, onError);
await using outbound = createOutbound();
// Short, because the slots of a killed worker are free again only after it; long enough for a slow write on a busy machine.
const limits = storage.createLimits({
  worker,
  limitsOf: () => ({ concurrency: callsAtOnce }),
  leaseMs: 1_000,
  onError,
});
await using worlds = createWorldListener({ publicUrl: null });
const runs = createRuns({
  store: storage.store,
  queue: storage.queue,
  limits,
  worldEndpoints: worlds.endpoints,
  createModel: ({ protocol, endpoint, model_id, world_address }) =>
    createChatModel({ outbound, protocol, endpoint, modelId: model_id, worldAddress: world_address }),
  isDemo: () => false,
  workerId: worker,
  newId: randomUUIDv7,
  concurrency: { global: 8, perRun: 8 },
  heartbeatMs: 1_000,
  onError,
});
await runWorker({
  runs,
  signal: stopping.signal,
  graceMs: 5_000,
});
await limits.close();
