import type { FileScenario, Note } from "../../scenario-file.ts";

type UnsupportedPart =
  | "system prompt"
  | "description"
  | "tags"
  | "labels"
  | "references"
  | "checks"
  | "interaction types"
  | "interaction ids"
  | "agent replies"
  | "generated labels"
  | "metadata"
  | "tool rules"
  | "world"
  | "simulated user";

const isPresent: Readonly<Record<UnsupportedPart, (scenario: FileScenario) => boolean>> = {
  "interaction ids": ({ interactions }) => interactions.some(({ id }, index) => id !== `turn-${index + 1}`),
  "system prompt": ({ system_prompt }) => system_prompt !== undefined,
  description: ({ description }) => description !== "",
  tags: ({ tags }) => tags !== undefined && tags.length > 0,
  labels: ({ interactions }) =>
    interactions.some(({ reference_metadata }) => Object.keys(reference_metadata).length > 0),
  references: ({ interactions }) =>
    interactions.some(({ references }) => references !== undefined && references.length > 0),
  checks: ({ interactions }) => interactions.some(({ checks }) => checks !== undefined && checks.length > 0),
  "interaction types": ({ interactions }) =>
    interactions.some(({ interaction_type }) => interaction_type !== undefined),
  "agent replies": ({ interactions }) => interactions.some(({ agent_reply }) => agent_reply !== ""),
  metadata: ({ metadata }) => metadata !== undefined,
  "simulated user": ({ user }) => user !== undefined,
  "tool rules": ({ tool_matching, expect }) => tool_matching !== undefined || expect !== undefined,
  // Declared tools and recorded results are written where calls are.
  world: ({ world }) =>
    world !== undefined &&
    (world.state !== undefined ||
      world.module !== undefined ||
      world.tools.some(({ answers }) => answers !== undefined)),
  "generated labels": ({ interactions }) =>
    interactions.some(({ generated_metadata }) => Object.keys(generated_metadata).length > 0),
};

/** One note per scenario that lists the parts the format does not support. */
export function noteUnsupportedParts(
  scenarios: readonly FileScenario[],
  unsupported: readonly UnsupportedPart[],
): Note[] {
  return scenarios.flatMap((scenario) => {
    const lost = unsupported.filter((part) => isPresent[part](scenario));
    if (lost.length === 0) return [];
    const message = `${scenario.id}: the format does not support ${lost.join(", ")}`;
    return [{ kind: "dropped" as const, message }];
  });
}
