import { randomUUID } from "node:crypto";
import type { ChatModel } from "../../contract/ports/chat-model.ts";
import { defineDemoModel, type DemoModelOptions } from "./demo-model.ts";
import { respondFlakily } from "./flaky.ts";
import { respondFromKnowledge } from "./retrieval.ts";
import { respondFromScript } from "./scripted.ts";
import { respondAsFirstVersion, respondAsSecondVersion } from "./support.ts";

/** Fixed, so that scenarios, runs and bookmarks keep naming the same model. */
export const demoStudioIds = {
  "demo-support-v1": "d3a0517a-0000-4000-8000-000000000001",
  "demo-support-v2": "d3a0517a-0000-4000-8000-000000000002",
} as const;

export interface Demo {
  /** By the `x-model-id` that selects each. */
  readonly hub: Readonly<Record<string, ChatModel>>;
  /** By name. */
  readonly studio: Readonly<Record<string, { readonly id: string; readonly model: ChatModel }>>;
  /** Everything an `x-model-id` or a `model` can be: hub ids, then UUIDs. */
  readonly ids: readonly string[];
}

interface DemoOptions extends DemoModelOptions {
  /** The same seed and order of calls give the same answers. Without it every process differs. */
  readonly seed?: string | number | undefined;
}

/**
 * The keyless demo models. They follow a script: none of them is a language model, and each says so in its fingerprint.
 *
 * @example await createDemo().hub["demo/scripted"](request, { signal })
 */
export function createDemo({ seed = randomUUID(), ...options }: DemoOptions = {}): Demo {
  const { "demo-support-v1": first, "demo-support-v2": second } = demoStudioIds;
  const hub = {
    "demo/retrieval": defineDemoModel("demo/retrieval", respondFromKnowledge, options),
    "demo/scripted": defineDemoModel("demo/scripted", respondFromScript, options),
    "demo/flaky": defineDemoModel("demo/flaky", respondFlakily(String(seed)), options),
  };
  const studio = {
    "demo-support-v1": { id: first, model: defineDemoModel(first, respondAsFirstVersion, options) },
    "demo-support-v2": { id: second, model: defineDemoModel(second, respondAsSecondVersion(String(seed)), options) },
  };
  return { hub, studio, ids: [...Object.keys(hub), first, second] };
}
