import { extrasKey, scenarioExtras } from "../../extras.ts";
import type { ExportResult, FileInteraction, FileScenario } from "../../scenario-file.ts";
import { linesOrList, listOrLines, prettyJson } from "../serialize.ts";
import { messagesOf, questionOf, type ChatLine } from "./chats.ts";
import { noteUnsupportedParts } from "./unsupported-parts.ts";

const metadata = (scenario: FileScenario): object => ({ [extrasKey]: scenarioExtras(scenario) });

/** A single question is plain text; a conversation is a list of messages. */
const loneQuestion = (messages: readonly ChatLine[]): string | undefined =>
  messages.length === 1 ? messages[0]?.content : undefined;

/** Inspect samples, one per line. Earlier reference replies become the history that the model sees. */
export function exportInspect(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const samples = scenarios.map((scenario) => {
    const { messages, reference } = questionOf(scenario);
    const others = scenario.interactions.at(-1)?.references ?? [];
    const target = others.length === 0 ? reference : [reference, ...others];
    return { id: scenario.id, input: loneQuestion(messages) ?? messages, target, metadata: metadata(scenario) };
  });
  return { text: linesOrList(samples, ending), notes: [] };
}

/** LangSmith examples for `langsmith dataset upload`. */
export function exportLangSmith(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const examples = scenarios.map((scenario) => {
    const { messages, reference } = questionOf(scenario);
    const outputs = reference === "" ? null : { messages: [{ role: "assistant", content: reference }] };
    return { inputs: { messages }, outputs, metadata: metadata(scenario) };
  });
  return { text: listOrLines(examples, ending), notes: [] };
}

/** Langfuse dataset items for its API and SDK. */
export function exportLangfuse(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const items = scenarios.map((scenario) => {
    const { messages, reference } = questionOf(scenario);
    const input = loneQuestion(messages) ?? { messages };
    return {
      id: scenario.id,
      input,
      expectedOutput: reference === "" ? null : reference,
      metadata: metadata(scenario),
    };
  });
  return { text: listOrLines(items, ending), notes: [] };
}

/** Data lines for OpenAI Evals, `{"item": {…}}`, to upload as a data source file. */
export function exportOpenaiEvals(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const lines = scenarios.map((scenario) => {
    const { messages, reference } = questionOf(scenario);
    const ideal = reference === "" ? {} : { ideal: reference };
    return { item: { id: scenario.id, messages, ...ideal, [extrasKey]: scenarioExtras(scenario) } };
  });
  return { text: linesOrList(lines, ending), notes: [] };
}

/** DeepEval goldens. If any scenario has several turns, all become conversational goldens: a dataset cannot mix both. */
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

/** Goldens have no system prompt field, so it is stored here too. */
const additionalMetadata = (scenario: FileScenario): object => ({
  [extrasKey]: {
    description: scenario.description,
    ...scenarioExtras(scenario),
    ...(scenario.system_prompt !== undefined && { system_prompt: scenario.system_prompt }),
  },
});

/** An ADK eval set, which has fields only for ids, messages and rubrics. */
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
    "checks other than rubrics",
    "rubric choices",
    "interaction types",
    "agent replies",
    "generated labels",
  ] as const;
  return {
    text: prettyJson({ eval_set_id: "rehearsal", name: "Scenarios exported from Rehearsal", eval_cases: cases }),
    notes: noteUnsupportedParts(scenarios, missing),
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
