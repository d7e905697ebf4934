import type { ChatModel } from "../../contract/model.ts";
import type { CapabilityReport } from "./capabilities.ts";
import { probeCapabilities } from "./probe-capabilities.ts";

interface ModelKey {
  readonly provider: string;
  readonly model_id: string;
}

/** A report with the model it is about and when it was made. */
export interface CapabilityRecord extends CapabilityReport, ModelKey {
  /** Milliseconds since 1970. */
  readonly probed_at: number;
}

/** Keeps what was found out about models, so that looking at a list of them costs nothing. */
export interface CapabilityCache {
  /** What is known and not too old, else finds out. Never throws; asked twice at once, it asks the model once. */
  probe(target: ModelKey & { readonly model: ChatModel; readonly signal: AbortSignal }): Promise<CapabilityRecord>;
  /** What is known and not too old, without a call. */
  list(): readonly CapabilityRecord[];
  /** Finds out anew next time, after the endpoint was changed. */
  forget(target: ModelKey): void;
}

const mostRecords = 1000;

export function createCapabilityCache({
  now = Date.now,
  maximumAgeMs = 24 * 3600 * 1000,
}: { now?: () => number; maximumAgeMs?: number } = {}): CapabilityCache {
  const records = new Map<string, CapabilityRecord>();
  const underWay = new Map<string, Promise<CapabilityRecord>>();

  const isFresh = ({ probed_at }: CapabilityRecord) => now() - probed_at <= maximumAgeMs;

  async function findOut({ provider, model_id, model, signal }: Parameters<CapabilityCache["probe"]>[0]) {
    const report = await probeCapabilities(model, { signal });
    const record = { provider, model_id, probed_at: now(), ...report };
    if (saysSomething(report)) remember(record);
    return record;
  }

  function remember(record: CapabilityRecord): void {
    const [oldest] = records.keys();
    if (records.size >= mostRecords && oldest !== undefined) records.delete(oldest);
    records.set(keyOf(record), record);
  }

  return {
    probe: async (target) => {
      const key = keyOf(target);
      for (let other = underWay.get(key); other; other = underWay.get(key)) {
        const record = await other;
        // Whoever asked first may have given up; that answers nobody else.
        if (saysSomething(record)) return record;
      }
      const record = records.get(key);
      if (record && isFresh(record)) return record;
      const promise = findOut(target).finally(() => underWay.delete(key));
      underWay.set(key, promise);
      return promise;
    },
    list: () => [...records.values()].filter(isFresh),
    forget: (target) => void records.delete(keyOf(target)),
  };
}

function keyOf({ provider, model_id }: ModelKey): string {
  return JSON.stringify([provider, model_id]);
}

/** An endpoint that was down says nothing about its model: that is not kept. */
function saysSomething({ capabilities }: CapabilityReport): boolean {
  return Object.values(capabilities).some(({ verdict }) => verdict !== "unknown");
}
