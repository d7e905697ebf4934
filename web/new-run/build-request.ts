import { fieldNames, fieldPlaces } from "./field-places.ts";
import { parseScenarios } from "./parse-scenarios.ts";
import type { RunDraft } from "./run-draft.ts";
import { splitRequest } from "./split-request.ts";

type Request = Readonly<Record<string, unknown>>;

/**
 * The body of POST /evaluate for a draft. Empty fields are left out, so the service's own checks and defaults speak. Of a pasted
 * request only what the form has no field for is taken: a field that was cleared is not sent.
 */
export function buildRequest(draft: RunDraft): Request {
  const parsed = parseScenarios(draft.scenarios);
  const { rest } = splitRequest(parsed.kind === "parsed" ? parsed.request : {});
  return fieldNames.reduce((request, name) => {
    const value = name === "scenarios" ? (parsed.kind === "parsed" ? parsed.batch : undefined) : valueOf(draft, name);
    return value === undefined ? request : withPath(request, fieldPlaces[name], value);
  }, rest);
}

/** What a field says in the request; undefined when it says nothing. */
function valueOf(draft: RunDraft, name: Exclude<keyof RunDraft, "scenarios">): unknown {
  const text = draft[name].trim();
  switch (name) {
    case "protocol":
      return text === "openai-chat" ? undefined : text;
    case "systemPrompt":
      return draft.systemPrompt === "" ? undefined : draft.systemPrompt;
    case "scorers":
      return scorers(text);
    case "attempts":
    case "threshold":
    case "concurrency":
    case "priority":
    case "temperature":
    case "money":
    case "judgeVotes":
      return number(text);
    default:
      return text === "" ? undefined : text;
  }
}

/** What is not a number is sent as typed: the service names the mistake. */
function number(text: string): number | string | undefined {
  if (text === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : text;
}

/** Checks with options come from a pasted request only; names typed here take their place. */
function scorers(text: string): string[] | undefined {
  const names = text.split(",").map((name) => name.trim());
  const typed = names.filter((name) => name !== "");
  return typed.length === 0 ? undefined : typed;
}

/** A copy with one value more. What else stands in the objects on the way stays. */
function withPath(request: Request, [name = "", ...below]: readonly string[], value: unknown): Request {
  if (below.length === 0) return { ...request, [name]: value };
  const inner = request[name];
  return { ...request, [name]: withPath(typeof inner === "object" ? { ...inner } : {}, below, value) };
}
