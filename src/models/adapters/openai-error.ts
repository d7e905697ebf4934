import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ErrorCode } from "../../contract/errors/errors.ts";
import type { Explanation } from "../outbound/failure.ts";
import { meaningOfStatus, withoutCredit, type FailedResponse } from "../outbound/status-failure.ts";
import { parseJson } from "./reply/json-values.ts";

interface ErrorBody {
  readonly code: string;
  /** Lower case and bounded. Only searched, never passed on. */
  readonly message: string;
}

/** Wording of OpenAI, Anthropic, Gemini, llama.cpp, LM Studio, xAI, vLLM, Kimi, Zhipu, Qwen, Groq, TGI, Bedrock and Perplexity. */
const tooLong = new RegExp(
  [
    "context[_ ](?:length|window|size)",
    "maximum (?:context|prompt length|model length)",
    "too many (?:input )?tokens",
    "(?:prompt|input)(?: is)? too long",
    "exceeds? .{0,40}(?:context|token limit|number of tokens)",
    "exceeded model token limit",
    "prompt exceeds max length",
    "range of input length should be",
    "reduce the length of the messages",
    "total length of all messages is too long",
    "`inputs` .{0,40}tokens",
  ].join("|"),
);
/** Wording of OpenAI, DeepSeek, Kimi, OpenRouter, Mistral, Bedrock and Cloudflare. */
const noSuchModel = new RegExp(
  [
    "model.{0,120}(?:not found|not exist|doesn't exist|no longer available)",
    "not found the model",
    "(?:unknown|invalid|no such) model",
    "not a valid model",
    "model identifier is invalid",
    "no endpoints found for\\b",
  ].join("|"),
);
/** Some servers refuse a key with a 400. */
const wrongKey = /(?:incorrect|invalid) api key|api key (?:not valid|expired|is invalid)/;
const codes: Readonly<Record<string, ErrorCode>> = {
  context_length_exceeded: "context_length_exceeded",
  tokens_limit_reached: "context_length_exceeded",
  "1261": "context_length_exceeded",
  model_not_found: "model_not_found",
  model_decommissioned: "model_not_found",
  model_not_available: "model_not_found",
  model_not_supported: "model_not_found",
  "1211": "model_not_found",
  DeploymentNotFound: "model_not_found",
  invalid_api_key: "upstream_auth",
  rate_limit_exceeded: "upstream_rate_limited",
  invalid_prompt: "upstream_rejected",
  invalid_request_error: "upstream_rejected",
};

/** Codes of OpenAI, Kimi, Anthropic, Zhipu and Alibaba. xAI has a message only. */
const emptyAccount: ReadonlySet<unknown> = new Set([
  "insufficient_quota",
  "exceeded_current_quota_error",
  "billing_error",
  "1113",
  "Arrearage",
]);
const noCredit = /\b(?:used all available|run out of|have any) credits\b/i;

interface RefusalPattern {
  readonly error: ErrorBody;
  /** The parsed body. */
  readonly answer: unknown;
  readonly host: string;
}

/** One meaning of an error status: a row is compared only with the statuses that its providers use. */
interface Meaning {
  readonly on: (status: number) => boolean;
  /** The explanation without the leading status; null when the refusal means something else. */
  readonly explain: (refusal: RefusalPattern) => Explanation | null;
}

const anyClientError = (status: number) => status < 500;
/** Without 403: only content filters answer it with a reason, all others mean the key. */
const clientError = (status: number) => status < 500 && status !== 403;

/** In this order: the first row that explains a refusal decides. */
const meanings: readonly Meaning[] = [
  {
    on: anyClientError,
    explain: ({ error, host }) =>
      refusesContent(error)
        ? {
            code: "upstream_rejected",
            detail: `the content filter of ${host} refused the conversation.`,
            refusesContent: true,
          }
        : null,
  },
  { on: anyClientError, explain: ({ error, host }) => unreadableCall(error, host) },
  {
    on: anyClientError,
    explain: ({ error, host }) =>
      error.code === "json_validate_failed"
        ? {
            code: "upstream_invalid_reply",
            detail: `the model at ${host} did not keep to the JSON it was asked for.`,
          }
        : null,
  },
  {
    // llama.cpp refuses tools with a 500; all other 5xx mean the server itself.
    on: (status) => status !== 403,
    explain: ({ error, host }) =>
      refusesTools(error.message)
        ? { code: "upstream_rejected", detail: `${host} takes no tools for this model.`, refusesTools: true }
        : null,
  },
  {
    on: clientError,
    explain({ error, host }) {
      const detail = tooManyTools(error.message, host);
      return detail === null ? null : { code: "upstream_rejected", detail, tooManyTools: true };
    },
  },
  { on: clientError, explain: ({ error }) => fromErrorBody(error) },
  {
    on: clientError,
    explain: ({ error, host }) =>
      refusesFormat(error.message)
        ? {
            code: "upstream_rejected",
            detail: `${host} gives no structured output (response_format) for this model.`,
            refusesFormat: true,
          }
        : null,
  },
  {
    on: clientError,
    explain({ answer, host }) {
      const field = rejectedField(answer);
      return field === null
        ? null
        : { code: "upstream_rejected", detail: `${host} rejected the request for its ${field}.` };
    },
  },
];

/** Explains an error status: reads the formats of OpenAI, Azure, Gemini, vLLM, Ollama, llama.cpp and OpenRouter. */
export function explainOpenaiFailure({ status, url, body }: FailedResponse): Explanation | null {
  if (status < 400 || status > 501 || status === 401) return null;
  const answer = parseJson(body);
  if (status < 500 && isRecord(answer) && lacksCredit(answer["error"])) return withoutCredit(`HTTP ${status}`, url);
  if (status === 402 || status === 429) return null;
  const error = errorBody(answer);
  if (!error) return null;
  for (const { on, explain } of meanings) {
    const explained = on(status) ? explain({ error, answer, host: url.host }) : null;
    if (explained) return withPrefix(`HTTP ${status}`, explained);
  }
  return null;
}

function withPrefix(where: string, explanation: Explanation): Explanation {
  return { ...explanation, detail: `${where}: ${explanation.detail}` };
}

/** Most providers report an empty account as a rate limit, but waiting does not help. Gemini's message says so of any limit. */
function lacksCredit(error: unknown): boolean {
  if (typeof error === "string") return noCredit.test(error.slice(0, 2000));
  return isRecord(error) && [error["code"], error["type"]].some((word) => emptyAccount.has(word));
}

/** Explains an error inside a 200 answer or a stream. */
export function explainErrorObject(error: unknown, url: URL): Explanation {
  const body = errorBody({ error });
  const status = Number(body?.code);
  if (lacksCredit(error)) return withoutCredit("The answer is an error", url);
  if (body && refusesContent(body)) {
    return { code: "upstream_rejected", detail: `The content filter of ${url.host} refused the conversation.` };
  }
  const malformed = body && unreadableCall(body, url.host);
  if (malformed) return withPrefix("The answer is an error", malformed);
  const known = body && fromErrorBody(body);
  if (known) return withPrefix("The answer", known);
  const coded = body && byCode(body);
  if (coded) return coded;
  if (status >= 400 && status < 600) {
    const detail = `The answer is an error (${status}) although HTTP called it a success.`;
    return { ...meaningOfStatus({ status, url }, { hasCredential: true }), detail };
  }
  return { code: "upstream_error", detail: "The answer is an error although HTTP called it a success." };
}

/** Groq reports a malformed call of its model as a bad request. Read as such, tools would no longer be offered. */
function unreadableCall({ code }: ErrorBody, host: string): Explanation | null {
  if (code !== "tool_use_failed") return null;
  const detail = `the model wrote a tool call that ${host} could not read.`;
  return { code: "upstream_invalid_reply", detail, unreadableCall: true };
}

function fromErrorBody({ code, message }: ErrorBody): Explanation | null {
  if (codes[code] === "context_length_exceeded" || tooLong.test(message)) {
    return { code: "context_length_exceeded", detail: "the conversation is too long for the model." };
  }
  if (codes[code] === "model_not_found" || noSuchModel.test(message)) {
    return { code: "model_not_found", detail: "the endpoint does not know this model." };
  }
  return wrongKey.test(message) ? { code: "upstream_auth", detail: "the endpoint refused its key." } : null;
}

function byCode({ code }: ErrorBody): Explanation | null {
  const known = Object.hasOwn(codes, code) ? codes[code] : undefined;
  return known ? { code: known, detail: `The answer is an error (${code}) although HTTP called it a success.` } : null;
}

function errorBody(answer: unknown): ErrorBody | null {
  // Gemini puts the error into a list.
  const value: unknown = Array.isArray(answer) ? answer[0] : answer;
  if (!isRecord(value)) return null;
  // Cloudflare sends a list of errors.
  const error = value["error"] ?? (Array.isArray(value["errors"]) ? value["errors"][0] : value);
  if (typeof error === "string") return { code: "", message: bounded(error) };
  if (!isRecord(error)) return null;
  return { code: String(error["code"] ?? error["type"] ?? ""), message: bounded(messageOf(error)) };
}

function messageOf(error: JsonRecord): string {
  const message = error["message"] ?? error["detail"];
  return typeof message === "string" ? message : JSON.stringify(message ?? "");
}

const bounded = (text: string) => text.slice(0, 2000).toLowerCase();

/** Names of structured output at OpenAI, Azure, Groq, DeepSeek, vLLM, LiteLLM and in OpenAI's responses. */
const structuredOutput = /response[_ ]format|\bjson_schema\b|\btext\.format\b|structured[_ ]outputs?\b/;

/** True when an error message (lower case) is about the requested format. */
export function refusesFormat(message: string): boolean {
  return structuredOutput.test(message);
}

/** Wording for too many tools at OpenAI, Groq, Gemini, Copilot and gateways, in lower case. */
const tooMany = [
  /'tools'\s*:.{0,40}(?:too long|maximum number)/,
  /\bat most \d+ (?:function declarations|functions|tools)\b/,
  /\bmore than \d+ (?:functions|tools)\b/,
  /\bnumber of tools exceeds\b/,
  /\btoo many (?:functions|tools)\b/,
];
const limit = /\b(?:maximum length|number of items is|at most|more than|exceeds) (\d{1,5})\b/;

/** Explains a message about too many tools; null when it is about something else. */
export function tooManyTools(message: string, host: string): string | null {
  if (!tooMany.some((pattern) => pattern.test(message))) return null;
  const [, most] = limit.exec(message) ?? [];
  const taken = most === undefined ? "fewer tools" : `at most ${most} tools`;
  return `${host} takes ${taken} in one request: allow those that are needed with x-agent-tools.`;
}

/** A message about one tool or its schema, which the tool's author has to fix. */
const oneTool = /schema|propert|tools?[.[]\d|(?:tool|function)s? (?:type|name|['"`])/;

/** Wording for a model without tools at OpenAI, vLLM, llama.cpp, Ollama, TGI, OpenRouter, Groq, DeepSeek and LiteLLM. */
const noTools = [
  /(?:not|n't) support(?:ed)?\b[^.;]{0,30}\b(?:tools?|functions?|function[_ -]calling)\b/,
  /\b(?:tools?|functions|(?:tool|function)[_ -]?(?:use|calls?|calling))\b['"`]?[^.;]{0,40}(?:not|n't) (?:supported|enabled|available|allowed|permitted)/,
  /\btools?\b[^.;]{0,40} requires? --/,
  /no \w+ found that supports? tool/,
  /(?:unrecognized|unknown|unsupported|unexpected) [\w ]{0,30}(?:parameter|argument|field|key|property)s?(?: \w+)?:? ?['"`]?tools\b/,
  /unexpected role:? ?['"`]?tool\b/,
];

/** Pydantic's wording for an unknown field. The message repeats the tools with their schemas. */
const unknownField = '"loc":["body","tools"],"msg":"extra inputs are not permitted"';

/** True when an error message (lower case) says that tools are not supported, not that one tool is wrong. */
export function refusesTools(message: string): boolean {
  if (message.includes(unknownField)) return true;
  return !oneTool.test(message) && noTools.some((pattern) => pattern.test(message));
}

/** Fields that a caller may have set. Only these are named: other text of an error is never repeated. */
const fields = new Set([
  "temperature",
  "top_p",
  "top_k",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "seed",
  "stop",
  "frequency_penalty",
  "presence_penalty",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "reasoning",
  "reasoning_effort",
  "verbosity",
  "response_format",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "service_tier",
  "thinking",
]);

/**
 * The field of the request that an error is about: `param` at OpenAI, `loc` at servers with pydantic, the beginning of the
 * message or text in backticks at Anthropic.
 */
function rejectedField(answer: unknown): string | null {
  const body: unknown = Array.isArray(answer) ? answer[0] : answer;
  if (!isRecord(body)) return null;
  const error = isRecord(body["error"]) ? body["error"] : body;
  const places = [error["detail"], error["message"]].flatMap((list) => (Array.isArray(list) ? list : []));
  const names = [
    error["param"],
    ...places.flatMap((place) => (isRecord(place) ? place["loc"] : [])),
    ...namesIn(error["message"]),
  ];
  return names.map(fieldName).find((name) => name !== null) ?? null;
}

/** `max_tokens: 100000 > 64000, …`, `tools.0.custom.input_schema: …`, "`temperature` and `top_p` cannot both be specified …". */
function namesIn(message: unknown): readonly (string | undefined)[] {
  if (typeof message !== "string") return [];
  return Array.from(
    message.slice(0, 2000).matchAll(/^([a-z_]+)(?=[.:])|`([a-z_]+)`/g),
    ([, first, named]) => first ?? named,
  );
}

/** `tools[0].function.parameters` means `tools`. */
function fieldName(value: unknown): string | null {
  const [name = ""] = typeof value === "string" ? value.split(/[.[]/, 1) : [];
  return fields.has(name) ? name : null;
}

/** Codes of content filters: Azure, OpenAI, Alibaba. */
const contentCodes = new Set([
  "content_filter",
  "content_policy_violation",
  "moderation_blocked",
  "data_inspection_failed",
  "DataInspectionFailed",
]);

/** Wording of content filters: Azure, OpenAI, OpenRouter, DeepSeek, Alibaba. */
const contentWording =
  /content management policy|content[_ ](?:filter|policy)|\bflagged\b|content exists risk|inappropriate content|violat\w{1,10} [^.]{0,40}usage polic/;

/** True when a content filter refused the conversation, so that no other form of the request helps. */
function refusesContent({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return contentCodes.has(code) || contentWording.test(message);
}
