import { extrasKey, scenarioExtras } from "../../extras.ts";
import type { ExportResult, FileInteraction, FileScenario, Note } from "../../scenario-file.ts";
import { linesOrList, listOrLines, prettyJson } from "../serialize.ts";
import { plainArguments } from "../../tool-calls.ts";
import { messagesOf, questionOf, type ChatLine } from "./chats.ts";
import { noteUnsupportedParts } from "./unsupported-parts.ts";

const metadata = (scenario: FileScenario): object => ({
  ...scenario.metadata,
  [extrasKey]: scenarioExtras(scenario),
});

/** A single question is plain text; a conversation is a list of messages. */
const loneQuestion = (messages: readonly ChatLine[]): string | undefined =>
  messages.length === 1 ? messages[0]?.content : undefined;

/** Inspect samples, one per line. Earlier reference replies become the history that the model sees. */
export function exportInspect(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const samples = scenarios.map((scenario) => {
    const { messages, reference } = questionOf(scenario);
    const others = scenario.interactions.at(-1)?.references ?? [];
    const target = others.length === 0 ? reference : [reference, ...others];
    const input = loneQuestion(messages) ?? messages.map(toInspectMessage);
    return { id: scenario.id, input, target, metadata: metadata(scenario) };
  });
  return { text: linesOrList(samples, ending), notes: [] };
}

/** Inspect names the function of a call directly and keeps its arguments as an object. */
function toInspectMessage({ tool_calls, ...line }: ChatLine): object {
  if (!tool_calls) return line;
  const calls = tool_calls.map(({ id, type, function: { name, arguments: given } }) => ({
    id,
    function: name,
    arguments: JSON.parse(given) as unknown,
    type,
  }));
  return { ...line, tool_calls: calls };
}

/** LangSmith examples for `langsmith dataset upload`. */
export function exportLangSmith(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const examples = scenarios.map((scenario) => {
    const { messages, answer } = questionOf(scenario);
    const outputs = answer.length === 0 ? null : { messages: answer };
    return { inputs: { messages }, outputs, metadata: metadata(scenario) };
  });
  return { text: listOrLines(examples, ending), notes: [] };
}

/** Langfuse dataset items for its API and SDK. */
export function exportLangfuse(scenarios: readonly FileScenario[], ending?: string): ExportResult {
  const items = scenarios.map((scenario) => {
    const { messages, reference, answer } = questionOf(scenario);
    const input = loneQuestion(messages) ?? { messages };
    const isText = answer.every(({ tool_calls }) => !tool_calls);
    return {
      id: scenario.id,
      input,
      expectedOutput: answer.length === 0 ? null : isText ? reference : { messages: answer },
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
    ...(turn?.reference_tool_calls && { expected_tools: turn.reference_tool_calls.map(toDeepEvalTool) }),
    additional_metadata: additionalMetadata(scenario),
  };
}

type ToolCall = NonNullable<FileInteraction["reference_tool_calls"]>[number];

const toDeepEvalTool = ({ name, arguments: given }: ToolCall): object => ({
  name,
  ...(plainArguments(given) && { input_parameters: plainArguments(given) }),
});

/** The calls of a turn belong to the assistant's message in DeepEval. */
function toConversationalGolden(scenario: FileScenario): object {
  const turns = messagesOf({ ...scenario, interactions: scenario.interactions.map(withoutCalls) }).filter(
    ({ role }) => role !== "system",
  );
  return {
    name: scenario.id,
    scenario: scenario.description || scenario.id,
    turns,
    additional_metadata: additionalMetadata(scenario),
  };
}

const withoutCalls = (turn: FileInteraction): FileInteraction => ({ ...turn, reference_tool_calls: undefined });

/** Goldens have no system prompt field, so it is stored here too. */
const additionalMetadata = (scenario: FileScenario): object => ({
  ...scenario.metadata,
  [extrasKey]: {
    description: scenario.description,
    ...scenarioExtras(scenario),
    ...(scenario.system_prompt !== undefined && { system_prompt: scenario.system_prompt }),
  },
});

/** An ADK eval set, which has fields only for ids, messages and rubrics. */
export function exportAdk(scenarios: readonly FileScenario[]): ExportResult {
  const cases = scenarios.map((scenario) => ({
    eval_id: scenario.id,
    conversation: scenario.interactions.map((turn) => ({
      invocation_id: turn.id,
      user_content: { role: "user", parts: [{ text: turn.user_message }] },
      ...(turn.reference_reply !== "" && {
        final_response: { role: "model", parts: [{ text: turn.reference_reply }] },
      }),
      ...toolsOf(turn, scenario),
      ...rubricsOf(turn),
    })),
    session_input: { app_name: "agent", user_id: "rehearsal", state: {} },
  }));
  const missing = [
    "system prompt",
    "description",
    "tags",
    "metadata",
    "tool rules",
    "world",
    "simulated user",
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
    notes: [...noteMatchers(scenarios), ...noteUnsupportedParts(scenarios, missing)],
  };
}

/** The expected tool uses, with the recorded responses of the scenario's world. */
function toolsOf({ reference_tool_calls }: FileInteraction, { world }: FileScenario): object {
  if (!reference_tool_calls) return {};
  const calls = reference_tool_calls.map(({ name, arguments: given }, index) => ({
    id: `call-${index + 1}`,
    name,
    args: plainArguments(given) ?? given ?? {},
  }));
  const responses = calls.flatMap(({ id, name, args }) => {
    const found = world?.recorded?.find(
      (call) => call.name === name && JSON.stringify(call.arguments) === JSON.stringify(args),
    );
    if (!found) return [];
    return [{ id, name, response: found.error === undefined ? found.result : { error: found.error } }];
  });
  return {
    intermediate_data: {
      tool_uses: calls,
      ...(responses.length > 0 && { tool_responses: responses }),
      intermediate_responses: [],
    },
  };
}

const noteMatchers = (scenarios: readonly FileScenario[]): Note[] =>
  scenarios.flatMap(({ id, interactions }) =>
    interactions.flatMap(({ reference_tool_calls = [] }, index): Note[] =>
      reference_tool_calls.some((call) => !plainArguments(call.arguments))
        ? [
            {
              kind: "changed",
              message: `${id}, turn ${index + 1}: the format compares the arguments of tool calls as they are; matchers and left out arguments are written as plain values`,
              subject: "turns whose tool calls have matchers or no arguments, which are written as plain values",
            },
          ]
        : [],
    ),
  );

function rubricsOf({ checks = [] }: FileInteraction): { rubrics?: object[] } {
  const rubrics = checks.flatMap((check, index) =>
    check.type === "rubric"
      ? [{ rubric_id: check.name ?? `rubric-${index + 1}`, rubric_content: { text_property: check.text } }]
      : [],
  );
  return rubrics.length > 0 ? { rubrics } : {};
}
