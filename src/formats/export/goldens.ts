import { extrasKey, scenarioExtras } from "../extras.ts";
import type { ExportResult, FileInteraction, FileScenario } from "../scenario-file.ts";
import { linesOrList, listOrLines, prettyJson } from "./json-lines.ts";
import { noteLosses } from "./losses.ts";
import { messagesOf, questionOf } from "./messages-of.ts";

/** Data lines for OpenAI Evals: `{"item": {…}}`, to be uploaded as the file of a data source. */
export function exportOpenaiEvals(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const lines = scenarios.map((scenario) => {
    const { messages, reference } = questionOf(scenario);
    const ideal = reference === "" ? {} : { ideal: reference };
    return { item: { id: scenario.id, messages, ...ideal, [extrasKey]: scenarioExtras(scenario) } };
  });
  return { text: linesOrList(lines, ending), notes: [] };
}

/** DeepEval goldens: of one turn where every scenario has one, else conversational ones, since a dataset of both cannot be loaded. */
export function exportDeepEval(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const single = scenarios.every(({ interactions }) => interactions.length === 1);
  const goldens = scenarios.map(single ? toGolden : toConversationalGolden);
  return { text: listOrLines(goldens, ending), notes: [] };
}

function toGolden(scenario: FileScenario): object {
  const [turn] = scenario.interactions;
  return {
    name: scenario.id,
    input: turn?.user_message ?? "",
    expected_output: turn?.reference_reply || null,
    additional_metadata: additionalMetadata(scenario),
  };
}

function toConversationalGolden(scenario: FileScenario): object {
  const turns = messagesOf(scenario).filter(({ role }) => role !== "system");
  return {
    name: scenario.id,
    scenario: scenario.description || scenario.id,
    turns,
    additional_metadata: additionalMetadata(scenario),
  };
}

/** Goldens have no system prompt of their own, so it goes along with the rest. */
const additionalMetadata = (scenario: FileScenario): object => ({
  [extrasKey]: {
    description: scenario.description,
    ...scenarioExtras(scenario),
    ...(scenario.system_prompt !== undefined && { system_prompt: scenario.system_prompt }),
  },
});

/** An ADK eval set. It has no place for anything but ids, what is said and rubrics. */
export function exportAdk(scenarios: readonly FileScenario[]): ExportResult {
  const cases = scenarios.map(({ id, interactions }) => ({
    eval_id: id,
    conversation: interactions.map((turn) => ({
      invocation_id: turn.id,
      user_content: { role: "user", parts: [{ text: turn.user_message }] },
      ...(turn.reference_reply !== "" && {
        final_response: { role: "model", parts: [{ text: turn.reference_reply }] },
      }),
      ...rubricsOf(turn),
    })),
    session_input: { app_name: "agent", user_id: "rehearsal", state: {} },
  }));
  const missing = [
    "system prompt",
    "description",
    "tags",
    "labels",
    "references",
    "checks that are no rubrics",
    "choices of rubrics",
    "interaction types",
    "agent replies",
    "generated labels",
  ] as const;
  return {
    text: prettyJson({ eval_set_id: "rehearsal", name: "Scenarios exported from Rehearsal", eval_cases: cases }),
    notes: noteLosses(scenarios, missing),
  };
}

function rubricsOf({ checks = [] }: FileInteraction): { rubrics?: object[] } {
  const rubrics = checks.flatMap((check, index) =>
    check.type === "rubric"
      ? [{ rubric_id: check.name ?? `rubric-${index + 1}`, rubric_content: { text_property: check.text } }]
      : [],
  );
  return rubrics.length > 0 ? { rubrics } : {};
}
