import { isRecord, type JsonRecord } from "../../base/json.ts";

/** Fields of chat completions that the responses API has no word for. It refuses what it does not know. */
const unknownThere = new Set([
  "messages",
  "max_tokens",
  "max_completion_tokens",
  "n",
  "seed",
  "stop",
  "frequency_penalty",
  "presence_penalty",
  "logit_bias",
  "functions",
  "function_call",
  "modalities",
  "audio",
  "prediction",
  "web_search_options",
]);

const withLogprobs = "message.output_text.logprobs";

/**
 * Fields for a chat completion in the words of the responses API, as far as it has them: callers of our own chat endpoint,
 * and runs that change their protocol, go on saying `reasoning_effort`. What is said in the API's own words counts.
 */
export function toResponsesFields(fields: JsonRecord): JsonRecord {
  const { reasoning_effort, verbosity, response_format, logprobs, reasoning, text, include, ...rest } = fields;
  const known = Object.entries(rest).filter(([name]) => !unknownThere.has(name));
  return {
    ...Object.fromEntries(known),
    ...joined("reasoning", { effort: reasoning_effort }, reasoning),
    ...joined("text", { verbosity, format: toTextFormat(response_format) }, text),
    ...(logprobs === true ? { include: included(include) } : include !== undefined && { include }),
  };
}

/** A field made of what was said in either way; absent when nothing was. */
function joined(name: string, translated: JsonRecord, own: unknown): JsonRecord {
  if (own !== undefined && !isRecord(own)) return { [name]: own };
  const said = Object.entries(translated).filter(([, value]) => value !== undefined && value !== null);
  return said.length === 0 && own === undefined ? {} : { [name]: { ...Object.fromEntries(said), ...own } };
}

/** The schema of a format has a field of its own in chat completions, and none here. */
function toTextFormat(format: unknown): unknown {
  if (!isRecord(format) || !isRecord(format["json_schema"])) return format;
  const { json_schema, ...rest } = format;
  return { ...rest, ...json_schema };
}

function included(include: unknown): readonly unknown[] {
  return [...new Set([...(Array.isArray(include) ? include : []), withLogprobs])];
}
