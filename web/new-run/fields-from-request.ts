import { parseScenarios } from "./parse-scenarios.ts";
import type { RunDraft } from "./run-draft.ts";

const names = {
  test_name: "name",
  endpoint: "endpoint",
  model_id: "model",
  attempts: "attempts",
  system_prompt: "systemPrompt",
} as const satisfies Record<string, keyof RunDraft>;

/** What a pasted whole request says about the form's own fields. */
export function fieldsFromRequest(text: string): Partial<RunDraft> {
  const parsed = parseScenarios(text);
  if (parsed.kind !== "parsed") return {};
  const { request } = parsed;
  const fields = Object.entries(names).flatMap(([name, field]) => {
    const value = request[name];
    return typeof value === "string" || typeof value === "number" ? [[field, String(value)] as const] : [];
  });
  const protocol = request["protocol"];
  return {
    ...Object.fromEntries(fields),
    ...(protocol === "agent" || protocol === "openai-chat" ? { protocol } : {}),
  };
}
