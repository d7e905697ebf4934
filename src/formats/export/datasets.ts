import { extrasKey, scenarioExtras } from "../extras.ts";
import type { ExportResult, FileScenario } from "../scenario-file.ts";
import { linesOrList, listOrLines } from "./json-lines.ts";
import { questionOf, type ChatLine } from "./messages-of.ts";

const metadata = (scenario: FileScenario): object => ({ [extrasKey]: scenarioExtras(scenario) });

/** A lone question is text in every dataset; a conversation is a list of messages. */
const loneQuestion = (messages: readonly ChatLine[]): string | undefined =>
  messages.length === 1 ? messages[0]?.content : undefined;

/** Inspect samples, one per line. The reference replies before the last turn are the history the model is given. */
export function exportInspect(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const samples = scenarios.map((scenario) => {
    const { messages, reference } = questionOf(scenario);
    const others = scenario.interactions.at(-1)?.references ?? [];
    const target = others.length === 0 ? reference : [reference, ...others];
    return { id: scenario.id, input: loneQuestion(messages) ?? messages, target, metadata: metadata(scenario) };
  });
  return { text: linesOrList(samples, ending), notes: [] };
}

/** LangSmith examples, as `langsmith dataset upload` takes them. */
export function exportLangSmith(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const examples = scenarios.map((scenario) => {
    const { messages, reference } = questionOf(scenario);
    const outputs = reference === "" ? null : { messages: [{ role: "assistant", content: reference }] };
    return { inputs: { messages }, outputs, metadata: metadata(scenario) };
  });
  return { text: listOrLines(examples, ending), notes: [] };
}

/** Langfuse dataset items, as its API and SDK create them. */
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
