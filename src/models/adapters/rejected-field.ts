import { isRecord } from "../../base/json.ts";

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
export function rejectedField(answer: unknown): string | null {
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
