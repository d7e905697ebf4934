import type { FileScenario } from "./scenario-file.ts";

export interface PromptGroup {
  /** Undefined for the scenarios that bring none. */
  readonly system_prompt: string | undefined;
  /** Without `system_prompt`: exactly what `test_batch` takes. */
  readonly scenarios: readonly Omit<FileScenario, "system_prompt">[];
}

/** Scenarios that can share one evaluation request, which has one `system_prompt`; in order of first appearance. */
export function groupBySystemPrompt(scenarios: readonly FileScenario[]): PromptGroup[] {
  const groups = Map.groupBy(scenarios, ({ system_prompt }) => system_prompt);
  return [...groups].map(([system_prompt, members]) => ({
    system_prompt,
    scenarios: members.map(withoutPrompt),
  }));
}

function withoutPrompt(member: FileScenario): Omit<FileScenario, "system_prompt"> {
  const { system_prompt: _, ...scenario } = member;
  return scenario;
}
