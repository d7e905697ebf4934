import { isRecord } from "../../base/json.ts";
import type { ChatRequest, ModelParameters, SuccessfulReply } from "../../contract/ports/chat-model.ts";
import type { Explanation } from "../outbound/failure.ts";
import type { Outbound } from "../outbound/outbound.ts";
import type { FailedResponse } from "../outbound/status-failure.ts";
import { parseJson } from "./reply/json-values.ts";
import { withClosedTurns, withFilledMessages, withShortDescriptions } from "./request-messages.ts";

/**
 * One way in which a model's server differs. Each is learned from a refusal or a reply, changes the requests that follow, and is
 * remembered for the model once a request with the change has succeeded.
 */
interface Quirk {
  /** True when a refused request was refused for this reason. */
  readonly detect: (refusal: Refusal) => boolean;
  /** The only explanation of a refusal when it matches: the other rows would misread its words. */
  readonly alone?: true;
  /** Changes the request in every protocol. Without it, a protocol's `toBody` makes the change in its own fields. */
  readonly adjust?: (request: ChatRequest) => ChatRequest;
  /** True when a successful reply shows the quirk although no refusal did. */
  readonly remember?: (reply: SuccessfulReply) => boolean;
}

interface Refusal {
  readonly status: number;
  readonly response: string;
  /** The body that was sent. */
  readonly sent: string;
  readonly request: ChatRequest;
  readonly stream: boolean;
  readonly modelId: string;
}

/** The rows in the order in which a refusal is compared with them. */
const table = {
  no_stream_usage: { detect: (refusal) => refusedStream(refusal) === "usage", alone: true },
  no_stream: { detect: (refusal) => refusedStream(refusal) === "stream", alone: true },
  newer_token_limit: { detect: refusesOlderLimit, alone: true },
  // Cache marks split a text into parts; some servers take only a string.
  no_cache_control: refusedField({ sent: /"cache_control":\{/, words: /\bcache_control\b|\bcontent\b/i }),
  no_foreign_metadata: refusedField({
    sent: /"reasoning_(?:content|details)":/,
    words: /\breasoning_(?:content|details)\b/,
    unless: missingReasoning(),
  }),
  // Some servers refuse the `reasoning` field that they send themselves.
  no_reasoning: refusedField({ sent: /"reasoning":"/, words: /\breasoning\b/ }),
  // OpenAI returns reasoning encrypted, servers of open models in plain text; both accept it back.
  no_reasoning_items: refusedField({
    sent: /"reasoning\.encrypted_content"|"encrypted_content":|\{"type":"reasoning",/,
    words: /encrypted[_ ]content|\binclude\b|reasoning_?item|\breasoning\b[^]{0,40}\bitem/i,
  }),
  // DeepSeek, Kimi and MiMo require `reasoning_content` in every reply, their own and those of other models.
  reasoning_required: refusedField({ sent: /"role":"assistant"/, words: missingReasoning() }),
  // Mistral accepts nine letters and digits, OpenAI at most forty characters.
  short_call_ids: refusedField({
    sent: /"tool_call_id":/,
    words: /\btool[_ ]calls?(?:\[\d+\])?[._ ]id\b[^]{0,200}\b(?:length|long|pattern)\b/i,
  }),
  short_descriptions: {
    ...refusedField({
      sent: /"description":"(?:[^"\\]|\\.){1025}/,
      words: /\btools\[\d+\](?:\.function)?\.description\b[^]{0,80}\btoo long\b/,
    }),
    adjust: withShortDescriptions,
  },
  // Kimi, Gemini, Mistral, Ollama, xAI, Bedrock: one empty reply would end the conversation.
  no_empty_messages: {
    ...refusedField({
      sent: /"role":"(?:user|assistant)",(?:"name":"[^"]*",)?"content":"(?:\s|\\n)*"/,
      words: /\bmust not be empty\b|\bmust have either content\b|\bat least one content element\b|\bis blank\b/i,
    }),
    adjust: withFilledMessages,
  },
  // Mistral, when a reply was stopped after its tool results and the user speaks next.
  closed_turns: {
    ...refusedField({ sent: /"role":"tool",/, words: /\bunexpected role '(?:user|system)' after role 'tool'/i }),
    adjust: withClosedTurns,
  },
  // Claude since Fable 5.1, and whenever it thinks.
  no_forced_choice: refusedField({ sent: /"tool_choice":\{"type":"(?:any|tool)"/, words: /\btool_choice\b/ }),
  // Only models that think accept a request for their reasoning.
  thinks: {
    detect: () => false,
    remember: ({ usage }) => Number(usage?.completion_tokens_details?.["reasoning_tokens"]) > 0,
  },
} satisfies Readonly<Record<string, Quirk>>;

type QuirkName = keyof typeof table;
const rows = Object.entries(table) as [QuirkName, Quirk][];

/** The quirks known of one model. */
export type Quirks = ReadonlySet<QuirkName>;

/** The quirks that a refusal reveals beyond the known ones; empty when it is about something else. */
export function detectQuirks(
  { status, body }: FailedResponse,
  { known, ...request }: Pick<Refusal, "sent" | "request" | "stream" | "modelId"> & { readonly known: Quirks },
): readonly QuirkName[] {
  const refusal = { ...request, status, response: body };
  const found = rows.filter(([name, { detect }]) => !known.has(name) && detect(refusal));
  const only = found.find(([, { alone }]) => alone);
  return (only ? [only] : found).map(([name]) => name);
}

/** The request with every change that does not depend on the protocol. */
export function adjustRequest(request: ChatRequest, quirks: Quirks): ChatRequest {
  if (quirks.size === 0) return request;
  return rows.reduce(
    (changed, [name, { adjust }]) => (adjust && quirks.has(name) ? adjust(changed) : changed),
    request,
  );
}

const none: Quirks = new Set();
const memory = new WeakMap<Outbound, Map<string, Quirks>>();

/** Forgetting a model costs one refused call. */
const maximumModels = 1_000;

/** The quirks that earlier calls of the same client learned about the target, a URL and a model. */
export function knownQuirks(outbound: Outbound, target: string): Quirks {
  return memory.get(outbound)?.get(target) ?? none;
}

/** Call it with a successful reply: a refusal alone does not prove that the change helps. */
export function rememberQuirks(
  outbound: Outbound,
  target: string,
  { quirks, reply }: { readonly quirks: Quirks; readonly reply: SuccessfulReply },
): void {
  const known = knownQuirks(outbound, target);
  const shown = rows.filter(([name, { remember }]) => quirks.has(name) || remember?.(reply)).map(([name]) => name);
  if (shown.every((name) => known.has(name))) return;
  const models = memory.get(outbound) ?? new Map<string, Quirks>();
  memory.set(outbound, models.set(target, new Set([...known, ...shown])));
  const [oldest] = models.size > maximumModels ? models.keys() : [];
  if (oldest !== undefined) models.delete(oldest);
}

/** A row for a field that strict servers refuse. Both patterns must match, and `unless` must not. */
function refusedField({ sent: field, words, unless }: { sent: RegExp; words: RegExp; unless?: RegExp }): Quirk {
  return {
    detect({ status, response, sent }) {
      if (status !== 400 && status !== 422) return false;
      const said = response.slice(0, 4_000);
      return words.test(said) && !unless?.test(said) && field.test(sent);
    },
  };
}

/** The wording of servers that miss reasoning, rather than refuse it. */
function missingReasoning(): RegExp {
  return /\breasoning_content\b[^]{0,120}\b(?:passed back|missing)\b/;
}

/** OpenAI's newer name for `max_tokens`: its reasoning models accept no other, and other APIs refuse it. */
export const newerLimitName = "max_completion_tokens";

/** The token limit of a reply under either name; the newer name wins. */
export function tokenLimit({ max_tokens, extra }: ModelParameters): number | undefined {
  const limit = extra?.[newerLimitName];
  return typeof limit === "number" ? limit : max_tokens;
}

/** True when only the refusal, not the request, mentions the newer name. */
function refusesOlderLimit({ status, response, request: { parameters = {} } }: Refusal): boolean {
  if (status !== 400 || parameters.max_tokens === undefined || parameters.extra?.[newerLimitName]) return false;
  return response.slice(0, 4_000).includes(newerLimitName);
}

/** The part of streaming that a server refuses: the token counts at the end, or the stream itself. */
function refusedStream({ status, response, stream, modelId }: Refusal): "usage" | "stream" | null {
  if (!stream || ![400, 404, 405, 406, 415, 422, 501].includes(status)) return null;
  const said = withoutName(complaint(response), modelId.toLowerCase());
  if (/\b(?:stream_options|include_usage)\b/.test(said)) return "usage";
  return /\b(?:stream|streaming)\b/.test(said) ? "stream" : null;
}

/** A model may have "stream" in its name, and a refusal may name the model. */
function withoutName(text: string, name: string): string {
  return name.includes("stream") ? text.replaceAll(name, "") : text;
}

/** The words of a refusal in lower case. Only searched, never passed on. */
function complaint(body: string): string {
  const answer = parseJson(body);
  const texts = isRecord(answer) || Array.isArray(answer) ? errorTexts(answer) : [body];
  return texts.join("\n").slice(0, 2_000).toLowerCase();
}

/** The fields in which servers say what is wrong. Some repeat the request beside them, which always mentions streaming. */
const errorFields = new Set("error errors message detail msg loc param code type title metadata raw".split(" "));

function errorTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(errorTexts);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => (errorFields.has(key) ? errorTexts(part) : []));
}

/** Wording of OpenAI, vLLM, Ollama, DeepSeek, Mistral and OpenRouter; Groq requires a string. */
const aboutPictures = /image|multimodal|\bvision\b|content must be a string/i;

/** Explains a refusal of pictures: no other form of the request would help, so the user has to know. */
export function explainRefusedPictures(
  { status, url, body }: FailedResponse,
  { messages }: ChatRequest,
): Explanation | null {
  if (![400, 404, 415, 422].includes(status) || !aboutPictures.test(body.slice(0, 2000))) return null;
  if (!messages.some((message) => message.role === "user" && message.parts)) return null;
  return { code: "upstream_rejected", detail: `HTTP ${status}: ${url.host} did not take the pictures it was sent.` };
}
