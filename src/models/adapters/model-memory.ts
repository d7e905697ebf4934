import type { Outbound } from "../outbound/outbound.ts";

/** Models that are remembered at most. Forgetting one costs one refused call. */
const mostRemembered = 1_000;

/** What has turned out about models, each under a name of its own, for as long as their client lives. */
interface ModelMemory<Value> {
  get(outbound: Outbound, model: string): Value | undefined;
  set(outbound: Outbound, model: string, value: Value): void;
}

export function createModelMemory<Value>(): ModelMemory<Value> {
  const remembered = new WeakMap<Outbound, Map<string, Value>>();
  return {
    get: (outbound, model) => remembered.get(outbound)?.get(model),
    set(outbound, model, value) {
      const models = remembered.get(outbound) ?? new Map<string, Value>();
      remembered.set(outbound, models.set(model, value));
      const oldest = models.keys().next();
      if (models.size > mostRemembered && !oldest.done) models.delete(oldest.value);
    },
  };
}
