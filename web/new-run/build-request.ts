import { parseScenarios } from "./parse-scenarios.ts";
import type { RunDraft } from "./run-draft.ts";
import { splitRequest } from "./split-request.ts";

/**
 * The body of POST /evaluate for a draft. Empty fields are left out, so the service's own checks and defaults speak. Of a pasted
 * request only what the form has no field for is taken: a field that was cleared is not sent.
 */
export function buildRequest(draft: RunDraft): Record<string, unknown> {
  const parsed = parseScenarios(draft.scenarios);
  const { rest } = splitRequest(parsed.kind === "parsed" ? parsed.request : {});
  return {
    ...rest,
    ...filled("test_name", draft.name),
    ...filled("endpoint", draft.endpoint),
    ...filled("model_id", draft.model),
    ...(draft.protocol === "openai-chat" ? {} : { protocol: draft.protocol }),
    ...number("attempts", draft.attempts),
    ...(draft.systemPrompt === "" ? {} : { system_prompt: draft.systemPrompt }),
    ...filled("history", draft.history),
    ...number("threshold", draft.threshold),
    ...scorers(draft.scorers),
    ...number("concurrency", draft.concurrency),
    ...group("parameters", rest, number("temperature", draft.temperature)),
    ...group("budget", rest, number("money", draft.money)),
    ...group("judge", rest, {
      ...filled("endpoint", draft.judgeEndpoint),
      ...filled("model_id", draft.judgeModel),
      ...filled("rubric", draft.judgeRubric),
      ...number("votes", draft.judgeVotes),
    }),
    ...(parsed.kind === "parsed" ? { test_batch: parsed.batch } : {}),
  };
}

function filled(name: string, text: string): Record<string, string> {
  return text.trim() === "" ? {} : { [name]: text.trim() };
}

/** What is not a number is sent as typed: the service names the mistake. */
function number(name: string, text: string): Record<string, unknown> {
  const trimmed = text.trim();
  if (trimmed === "") return {};
  const value = Number(trimmed);
  return { [name]: Number.isFinite(value) ? value : trimmed };
}

/** Checks with options come from a pasted request only; names typed here take their place. */
function scorers(text: string): Record<string, unknown> {
  const names = text.split(",").map((name) => name.trim());
  const typed = names.filter((name) => name !== "");
  return typed.length === 0 ? {} : { scorers: typed };
}

/** Fields of an inner object, together with those of a pasted request that have no field here. */
function group(
  name: string,
  rest: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  if (Object.keys(fields).length === 0) return {};
  const known = rest[name];
  return { [name]: { ...(typeof known === "object" && known !== null ? known : {}), ...fields } };
}
