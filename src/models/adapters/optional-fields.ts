import type { Outbound } from "../outbound/outbound.ts";
import type { FailedResponse } from "../outbound/status-failure.ts";
import { createModelMemory } from "./model-memory.ts";

/**
 * What clients send along for servers that know it, and strict ones refuse: marks for a cache, what a model is to see again, be it
 * only what it thought, ids of calls as another model gave them.
 */
export type OptionalField = "cache_control" | "echoes" | "reasoning" | "foreign_ids";

interface Signs {
  /** The field in a body that is sent. */
  readonly sent: RegExp;
  /** Words of a refusal that is about it. Marks take a text in parts, where some servers want it whole. */
  readonly refused: RegExp;
}

const signs: Readonly<Record<OptionalField, Signs>> = {
  cache_control: { sent: /"cache_control":\{/, refused: /\bcache_control\b|\bcontent\b/i },
  echoes: { sent: /"reasoning_(?:content|details)":/, refused: /\breasoning_(?:content|details)\b/ },
  // A server may refuse to be sent what it sends itself.
  reasoning: { sent: /"reasoning":"/, refused: /\breasoning\b/ },
  // Mistral takes nine letters and digits, OpenAI forty characters at most.
  foreign_ids: {
    sent: /"tool_call_id":/,
    refused: /\btool[_ ]calls?(?:\[\d+\])?[._ ]id\b[^]{0,200}\b(?:length|long|pattern)\b/i,
  },
};

/** Which of these fields of a body its server refuses. */
export function refusedFields({ status, body }: FailedResponse, sent: string): readonly OptionalField[] {
  if (status !== 400 && status !== 422) return [];
  const said = body.slice(0, 4_000);
  const names = Object.keys(signs) as OptionalField[];
  return names.filter((name) => signs[name].refused.test(said) && signs[name].sent.test(sent));
}

export type OptionalFields = ReadonlySet<OptionalField>;

const none: OptionalFields = new Set();
const remembered = createModelMemory<OptionalFields>();

/** What the target has refused before. */
export function leftOut(outbound: Outbound, target: string): OptionalFields {
  return remembered.get(outbound, target) ?? none;
}

export function rememberLeftOut(outbound: Outbound, target: string, fields: OptionalFields): void {
  remembered.set(outbound, target, fields);
}
