import { parseScenarios } from "./parse-scenarios.ts";
import { readProtocol, type RunDraft } from "./run-draft.ts";

const names = {
  test_name: "name",
  endpoint: "endpoint",
  model_id: "model",
  attempts: "attempts",
  system_prompt: "systemPrompt",
  history: "history",
  threshold: "threshold",
  concurrency: "concurrency",
  "parameters.temperature": "temperature",
  "budget.money": "money",
  "judge.endpoint": "judgeEndpoint",
  "judge.model_id": "judgeModel",
  "judge.rubric": "judgeRubric",
  "judge.votes": "judgeVotes",
} as const satisfies Record<string, keyof RunDraft>;

/** What a pasted whole request says about the form's own fields. */
export function fieldsFromRequest(text: string): Partial<RunDraft> {
  const parsed = parseScenarios(text);
  if (parsed.kind !== "parsed") return {};
  const { request } = parsed;
  const fields = Object.entries(names).flatMap(([path, field]) => {
    const value = readPath(request, path);
    return typeof value === "string" || typeof value === "number" ? [[field, String(value)] as const] : [];
  });
  return {
    ...Object.fromEntries(fields),
    // Adaptive attempts are an object: it is sent as pasted as long as the field is empty.
    ...(typeof request["attempts"] === "object" && { attempts: "" }),
    ...("protocol" in request ? { protocol: readProtocol(request["protocol"]) } : {}),
  };
}

function readPath(request: Readonly<Record<string, unknown>>, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  }, request);
}
