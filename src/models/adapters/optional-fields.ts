import type { Outbound } from "../outbound/outbound.ts";
import type { FailedResponse } from "../outbound/status-failure.ts";
import { createModelMemory } from "./model-memory.ts";

/**
 * What clients send along for servers that know it, and strict ones refuse: marks for a cache, what a model is to see again, be it
 * only what it thought, ids of calls as another model gave them, replies that do not say what was thought before them, long
 * descriptions of tools, messages in which nothing is said, results of tools to which nobody replied, the demand that a model call
 * the tool of a format rather than the wish.
 */
type OptionalField =
  | "cache_control"
  | "echoes"
  | "reasoning"
  | "sealed_reasoning"
  | "foreign_ids"
  | "bare_replies"
  | "long_descriptions"
  | "empty_messages"
  | "open_turns"
  | "forced_choice";

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
  // OpenAI gives what its models thought unreadable, servers of open models as it was; both take it back.
  sealed_reasoning: {
    sent: /"reasoning\.encrypted_content"|"encrypted_content":|\{"type":"reasoning",/,
    refused: /encrypted[_ ]content|\binclude\b|reasoning_?item|\breasoning\b[^]{0,40}\bitem/i,
  },
  // DeepSeek, Kimi and MiMo, of replies they gave and of those of others.
  bare_replies: {
    sent: /"role":"assistant"/,
    refused: /\breasoning_content\b[^]{0,120}\b(?:passed back|missing)\b/,
  },
  // Mistral takes nine letters and digits, OpenAI forty characters at most.
  foreign_ids: {
    sent: /"tool_call_id":/,
    refused: /\btool[_ ]calls?(?:\[\d+\])?[._ ]id\b[^]{0,200}\b(?:length|long|pattern)\b/i,
  },
  long_descriptions: {
    sent: /"description":"(?:[^"\\]|\\.){1025}/,
    refused: /\btools\[\d+\](?:\.function)?\.description\b[^]{0,80}\btoo long\b/,
  },
  // Kimi and Gemini, Mistral and Ollama, xAI, Bedrock: a reply that was empty would end every conversation it is part of.
  empty_messages: {
    sent: /"role":"(?:user|assistant)",(?:"name":"[^"]*",)?"content":"(?:\s|\\n)*"/,
    refused: /\bmust not be empty\b|\bmust have either content\b|\bat least one content element\b|\bis blank\b/i,
  },
  // Mistral, after a reply that was stopped: the results of its tools are there, and then somebody asks for something else.
  open_turns: { sent: /"role":"tool",/, refused: /\bunexpected role '(?:user|system)' after role 'tool'/i },
  // Claude since Fable 5.1, and whenever it thinks.
  forced_choice: { sent: /"tool_choice":\{"type":"(?:any|tool)"/, refused: /\btool_choice\b/ },
};

/** Which of these fields of a body its server refuses. */
export function refusedFields({ status, body }: FailedResponse, sent: string): readonly OptionalField[] {
  if (status !== 400 && status !== 422) return [];
  const said = body.slice(0, 4_000);
  const names = Object.keys(signs) as OptionalField[];
  const refused = names.filter((name) => signs[name].refused.test(said) && signs[name].sent.test(sent));
  // Whoever misses reasoning does not refuse it.
  return refused.includes("bare_replies") ? refused.filter((name) => name !== "echoes") : refused;
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
