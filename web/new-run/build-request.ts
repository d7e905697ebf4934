import { parseScenarios } from "./parse-scenarios.ts";
import type { RunDraft } from "./run-draft.ts";

/** The body of POST /evaluate for a draft. Empty fields are left out, so the service's own checks and defaults speak. */
export function buildRequest(draft: RunDraft): Record<string, unknown> {
  const parsed = parseScenarios(draft.scenarios);
  const pasted = parsed.kind === "parsed" ? parsed.request : {};
  return {
    ...pasted,
    ...filled("test_name", draft.name),
    ...filled("endpoint", draft.endpoint),
    ...filled("model_id", draft.model),
    ...(draft.protocol === "openai-chat" && !("protocol" in pasted) ? {} : { protocol: draft.protocol }),
    ...attempts(draft.attempts),
    ...(draft.systemPrompt === "" ? {} : { system_prompt: draft.systemPrompt }),
    ...(parsed.kind === "parsed" ? { test_batch: parsed.batch } : {}),
  };
}

function filled(name: string, text: string): Record<string, string> {
  return text.trim() === "" ? {} : { [name]: text.trim() };
}

/** What is not a number is sent as typed: the service names the mistake. */
function attempts(text: string): Record<string, unknown> {
  const trimmed = text.trim();
  if (trimmed === "") return {};
  const number = Number(trimmed);
  return { attempts: Number.isFinite(number) ? number : trimmed };
}
