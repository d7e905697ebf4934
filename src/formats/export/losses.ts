import type { FileScenario, Note } from "../scenario-file.ts";

type Part =
  | "system prompt"
  | "description"
  | "tags"
  | "labels"
  | "references"
  | "checks"
  | "checks that are no rubrics"
  | "choices of rubrics"
  | "interaction types"
  | "interaction ids"
  | "agent replies"
  | "generated labels";

const found: Readonly<Record<Part, (scenario: FileScenario) => boolean>> = {
  "interaction ids": ({ interactions }) => interactions.some(({ id }, index) => id !== `turn-${index + 1}`),
  "system prompt": ({ system_prompt }) => system_prompt !== undefined,
  description: ({ description }) => description !== "",
  tags: ({ tags }) => tags !== undefined && tags.length > 0,
  labels: ({ interactions }) =>
    interactions.some(({ reference_metadata }) => Object.keys(reference_metadata).length > 0),
  references: ({ interactions }) =>
    interactions.some(({ references }) => references !== undefined && references.length > 0),
  checks: ({ interactions }) => interactions.some(({ checks }) => checks !== undefined && checks.length > 0),
  "checks that are no rubrics": ({ interactions }) =>
    interactions.some(({ checks = [] }) => checks.some(({ type }) => type !== "rubric")),
  "choices of rubrics": ({ interactions }) =>
    interactions.some(({ checks = [] }) => checks.some((check) => check.type === "rubric" && check.choices)),
  "interaction types": ({ interactions }) =>
    interactions.some(({ interaction_type }) => interaction_type !== undefined),
  "agent replies": ({ interactions }) => interactions.some(({ agent_reply }) => agent_reply !== ""),
  "generated labels": ({ interactions }) =>
    interactions.some(({ generated_metadata }) => Object.keys(generated_metadata).length > 0),
};

/** One note per scenario that names what the format has no place for. */
export function noteLosses(scenarios: readonly FileScenario[], missing: readonly Part[]): Note[] {
  return scenarios.flatMap((scenario) => {
    const lost = missing.filter((part) => found[part](scenario));
    if (lost.length === 0) return [];
    const them = lost.length === 1 && !lost[0]?.endsWith("s") ? "it" : "them";
    const message = `${lost.join(", ")} of ${scenario.id}: the format has no place for ${them}`;
    return [{ kind: "dropped" as const, message }];
  });
}
