import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import { meaningOfStatus, withoutCredit, type Explanation, type FailedResponse } from "../outbound/status-failure.ts";
import { refusesContent } from "./content-refused.ts";
import { parseJson } from "./parse-json.ts";

interface ErrorBody {
  readonly code: string;
  /** Lower case, bounded; only searched, never passed on. */
  readonly message: string;
}

/** Besides OpenAI's own words those of Anthropic, Gemini, llama.cpp, LM Studio, xAI, vLLM, Kimi, Zhipu, Qwen, Groq, TGI, Bedrock and Perplexity. */
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
/** In the words of OpenAI, DeepSeek, Kimi, OpenRouter, Mistral, Bedrock and Cloudflare. */
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

/** OpenAI's, Kimi's, Anthropic's, Zhipu's and Alibaba's. xAI has words alone. */
const emptyAccount: ReadonlySet<unknown> = new Set([
  "insufficient_quota",
  "exceeded_current_quota_error",
  "billing_error",
  "1113",
  "Arrearage",
]);
const noCredit = /\b(?:used all available|run out of|have any) credits\b/i;

/** What an OpenAI-compatible server meant by an error status: reads the shapes of OpenAI, Azure, Gemini, vLLM, Ollama, llama.cpp, OpenRouter. */
export function explainOpenaiFailure(response: FailedResponse): Explanation | null {
  const { status, url, body } = response;
  if (status < 400 || status > 501 || status === 401) return null;
  const answer = parseJson(body);
  if (status < 500 && isRecord(answer) && lacksCredit(answer["error"])) return withoutCredit(`HTTP ${status}`, url);
  if (status === 402 || status === 429) return null;
  const error = errorBody(answer);
  if (!error) return null;
  if (status < 500 && refusesContent(error)) {
    const detail = `HTTP ${status}: the content filter of ${url.host} refused the conversation.`;
    return { code: "upstream_rejected", detail, refusesContent: true };
  }
  if (status < 500 && isUnreadableCall(error)) return unreadableCall(`HTTP ${status}`, url);
  if (status < 500 && error.code === "json_validate_failed") {
    const detail = `HTTP ${status}: the model at ${url.host} did not keep to the JSON it was asked for.`;
    return { code: "upstream_invalid_reply", detail };
  }
  // OpenRouter's filter answers so; whatever else does is about the key.
  if (status === 403) return null;
  if (refusesTools(error.message)) {
    const detail = `HTTP ${status}: ${url.host} takes no tools for this model.`;
    return { code: "upstream_rejected", detail, refusesTools: true };
  }
  // llama.cpp says with a 500 that it takes no tools; whatever else one says is about the server.
  if (status >= 500) return null;
  const tooMany = tooManyTools(error.message, url.host);
  if (tooMany) return { code: "upstream_rejected", detail: `HTTP ${status}: ${tooMany}`, tooManyTools: true };
  const known = fromErrorBody(error, `HTTP ${status}`);
  if (known) return known;
  if (refusesFormat(error.message)) {
    const detail = `HTTP ${status}: ${url.host} gives no structured output (response_format) for this model.`;
    return { code: "upstream_rejected", detail, refusesFormat: true };
  }
  const field = rejectedField(answer);
  if (field === null) return null;
  return { code: "upstream_rejected", detail: `HTTP ${status}: ${url.host} rejected the request for its ${field}.` };
}

/** Most say as a limited rate that the account is empty: no wait cures that. Gemini's message says so of any limit. */
function lacksCredit(error: unknown): boolean {
  if (typeof error === "string") return noCredit.test(error.slice(0, 2000));
  return isRecord(error) && [error["code"], error["type"]].some((word) => emptyAccount.has(word));
}

/** What an error inside a 200 answer, or inside a stream, means. */
export function explainErrorObject(error: unknown, url: URL): Explanation {
  const body = errorBody({ error });
  const status = Number(body?.code);
  if (lacksCredit(error)) return withoutCredit("The answer is an error", url);
  if (body && refusesContent(body)) {
    return { code: "upstream_rejected", detail: `The content filter of ${url.host} refused the conversation.` };
  }
  if (body && isUnreadableCall(body)) return unreadableCall("The answer is an error", url);
  const byText = body ? (fromErrorBody(body, "The answer") ?? byCode(body)) : null;
  if (byText) return byText;
  if (status >= 400 && status < 600) {
    const detail = `The answer is an error (${status}) although HTTP called it a success.`;
    return { ...meaningOfStatus({ status, url }, { hasCredential: true }), detail };
  }
  return { code: "upstream_error", detail: "The answer is an error although HTTP called it a success." };
}

/** Groq blames the request for what its model wrote. Taken at its word, we would offer the model no more tools. */
function isUnreadableCall({ code }: ErrorBody): boolean {
  return code === "tool_use_failed";
}

function unreadableCall(where: string, url: URL): Explanation {
  const detail = `${where}: the model wrote a tool call that ${url.host} could not read.`;
  return { code: "upstream_invalid_reply", detail, unreadableCall: true };
}

function fromErrorBody({ code, message }: ErrorBody, where: string): Explanation | null {
  if (codes[code] === "context_length_exceeded" || tooLong.test(message)) {
    return { code: "context_length_exceeded", detail: `${where}: the conversation is too long for the model.` };
  }
  if (codes[code] === "model_not_found" || noSuchModel.test(message)) {
    return { code: "model_not_found", detail: `${where}: the endpoint does not know this model.` };
  }
  if (wrongKey.test(message)) return { code: "upstream_auth", detail: `${where}: the endpoint refused its key.` };
  return null;
}

function byCode({ code }: ErrorBody): Explanation | null {
  const known = Object.hasOwn(codes, code) ? codes[code] : undefined;
  return known ? { code: known, detail: `The answer is an error (${code}) although HTTP called it a success.` } : null;
}

function errorBody(answer: unknown): ErrorBody | null {
  // Gemini puts its error into a list.
  const value: unknown = Array.isArray(answer) ? answer[0] : answer;
  if (!isRecord(value)) return null;
  // Cloudflare has a list of them.
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

/** How servers name what we ask for: OpenAI, Azure, Groq, DeepSeek, vLLM, LiteLLM, and OpenAI's responses. */
const structuredOutput = /response[_ ]format|\bjson_schema\b|\btext\.format\b|structured[_ ]outputs?\b/;

/** Whether an error's message, in lower case, is about the form the reply was asked for in. */
export function refusesFormat(message: string): boolean {
  return structuredOutput.test(message);
}

/** How servers say that a request offers more tools than they take: OpenAI, Groq, Gemini, Copilot, gateways. In lower case. */
const tooMany = [
  /'tools'\s*:.{0,40}(?:too long|maximum number)/,
  /\bat most \d+ (?:function declarations|functions|tools)\b/,
  /\bmore than \d+ (?:functions|tools)\b/,
  /\bnumber of tools exceeds\b/,
  /\btoo many (?:functions|tools)\b/,
];
const limit = /\b(?:maximum length|number of items is|at most|more than|exceeds) (\d{1,5})\b/;

/** What is wrong with the number of tools, by an error's message. Null: that is not what it is about. */
export function tooManyTools(message: string, host: string): string | null {
  if (!tooMany.some((pattern) => pattern.test(message))) return null;
  const [, most] = limit.exec(message) ?? [];
  const taken = most === undefined ? "fewer tools" : `at most ${most} tools`;
  return `${host} takes ${taken} in one request: allow those that are needed with x-agent-tools.`;
}

/** A message about one tool or about its schema: whoever wrote the tool must mend it. */
const oneTool = /schema|propert|tools?[.[]\d|(?:tool|function)s? (?:type|name|['"`])/;

/** How servers say that a model takes no tools at all: OpenAI, vLLM, llama.cpp, Ollama, TGI, OpenRouter, Groq, DeepSeek, LiteLLM. */
const noTools = [
  /(?:not|n't) support(?:ed)?\b[^.;]{0,30}\b(?:tools?|functions?|function[_ -]calling)\b/,
  /\b(?:tools?|functions|(?:tool|function)[_ -]?(?:use|calls?|calling))\b['"`]?[^.;]{0,40}(?:not|n't) (?:supported|enabled|available|allowed|permitted)/,
  /\btools?\b[^.;]{0,40} requires? --/,
  /no \w+ found that supports? tool/,
  /(?:unrecognized|unknown|unsupported|unexpected) [\w ]{0,30}(?:parameter|argument|field|key|property)s?(?: \w+)?:? ?['"`]?tools\b/,
  /unexpected role:? ?['"`]?tool\b/,
];

/** The pydantic way to say that the whole field is unknown. It repeats the tools it was sent, schemas and all. */
const unknownField = '"loc":["body","tools"],"msg":"extra inputs are not permitted"';

/** Whether an error's message, in lower case, says that tools are not supported, rather than that one of them is wrong. */
export function refusesTools(message: string): boolean {
  if (message.includes(unknownField)) return true;
  return !oneTool.test(message) && noTools.some((pattern) => pattern.test(message));
}

/** Fields of a request that a caller may have set: only these are named, since the rest of an error is not ours to repeat. */
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
 * Which field of the request an error is about: OpenAI says so as `param`, servers that check with pydantic as `loc`, Anthropic at the
 * beginning of its message or between backticks.
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

/** `tools[0].function.parameters` is about the tools. */
function fieldName(value: unknown): string | null {
  const [name = ""] = typeof value === "string" ? value.split(/[.[]/, 1) : [];
  return fields.has(name) ? name : null;
}
