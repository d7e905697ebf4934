import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { TurnCheck } from "../../contract/schemas/scorer-setting.ts";
import { anyField, listField, recordField, scalarText, textField, locationBelow } from "../documents/records.ts";
import { namedCheck, type ImportedTurn } from "../imported-scenario.ts";
import { readContent } from "../read-messages.ts";
import { descend, itemsOf, otherFields, type Importer, type ItemContext, listUnder } from "./importer.ts";

/** ADK eval sets (`eval_cases`, snake or camel case) and older files with `query` and `reference`. */
export const importAdk: Importer = ({ document, collector, mapping }) => {
  const [first] = document.values;
  // The oldest files are a bare list of queries, which is one conversation.
  if (Array.isArray(first?.value) && first.value.every((entry) => anyField(entry, "query") !== undefined)) {
    const context = { place: first.place, collector, mapping };
    return addTurns({}, { invocations: first.value, at: context }, context);
  }
  for (const { value, place } of itemsOf(document, listUnder("eval_cases", "evalCases"))) {
    if (isAdkConfig(value)) noteCriteria(value, { place, collector, mapping });
    else if (isRecord(value)) addCase(value, { place, collector, mapping });
    else collector.note("dropped", place, "the item is not an eval case");
  }
};

/** True for ADK's file of evaluation criteria, which is stored next to eval sets. */
export const isAdkConfig = (value: unknown): value is JsonRecord =>
  recordField(value, "criteria") !== undefined && otherFields(value as JsonRecord, settings).length === 0;

const settings = ["criteria", "custom_metrics", "customMetrics", "user_simulator_config", "userSimulatorConfig"];

function noteCriteria(config: JsonRecord, { place, collector }: ItemContext): void {
  const criteria = Object.entries(recordField(config, "criteria") ?? {}).map(([name, wanted]) =>
    [name, scalarText(wanted) ?? scalarText(anyField(wanted, "threshold"))].filter(Boolean).join(" "),
  );
  const message = `criteria belong to a run, not to a scenario: ${criteria.join(", ")}; set them as gates of the run`;
  collector.note("dropped", place, message);
}

function addCase(value: JsonRecord, context: ItemContext): void {
  const { place, collector } = context;
  const name = listField(value, "conversation") ? "conversation" : "data";
  const invocations = listField(value, name);
  if (!invocations) {
    return collector.note(
      "dropped",
      place,
      "the eval case has no scripted conversation (conversation_scenario is simulated by ADK)",
    );
  }
  addTurns(value, { invocations, at: descend(context, name) }, context);
}

interface Invocations {
  readonly invocations: readonly unknown[];
  /** The location of the list. */
  readonly at: ItemContext;
}

function addTurns(value: JsonRecord, { invocations, at }: Invocations, context: ItemContext): void {
  const { place, collector } = context;
  const turns = invocations.flatMap((entry, index) => readInvocation(entry, descend(at, index)));
  noteSession(value, context);
  const rubrics = listField(value, "rubrics") ?? [];
  if (rubrics.length > 0) collector.note("changed", place, "rubrics of the whole case became checks of its last turn");
  collector.add({
    place,
    id: anyField(value, "eval_id", "evalId", "name"),
    turns: turns.map((turn, index) =>
      index < turns.length - 1 ? turn : { ...turn, checks: rubricChecks(rubrics, turn.checks) },
    ),
  });
}

/** Rubrics of the whole case are added after those of its turns. */
interface Invocation extends ImportedTurn {
  readonly checks: readonly TurnCheck[];
}

function readInvocation(value: unknown, { place, collector }: ItemContext): Invocation[] {
  const user = readContent(anyField(value, "user_content", "userContent", "query"));
  const final = readContent(anyField(value, "final_response", "finalResponse", "reference"));
  const lost = [...user.lost, ...final.lost];
  if (lost.length > 0) collector.note("dropped", place, `only text is kept; dropped: ${[...new Set(lost)].join(", ")}`);
  if (hasTools(value)) collector.note("dropped", place, "expected tool calls are not part of a scenario");
  if (user.text === "") {
    collector.note("dropped", place, "the invocation has no user text");
    return [];
  }
  return [
    {
      id: anyField(value, "invocation_id", "invocationId"),
      user: user.text,
      reference: final.text,
      checks: rubricChecks(listField(value, "rubrics") ?? []),
    },
  ];
}

function hasTools(value: unknown): boolean {
  const steps = recordField(value, "intermediate_data", "intermediateData");
  const lists = [
    listField(steps, "tool_uses", "toolUses", "invocation_events", "invocationEvents"),
    listField(steps, "intermediate_responses", "intermediateResponses"),
    listField(value, "expected_tool_use", "expectedToolUse"),
  ];
  return lists.some((list) => list !== undefined && list.length > 0);
}

function rubricChecks(rubrics: readonly unknown[], before: readonly TurnCheck[] = []): TurnCheck[] {
  const checks = [...before];
  for (const rubric of rubrics) {
    const content = anyField(rubric, "rubric_content", "rubricContent");
    const text = textField(content, "text_property", "textProperty") ?? scalarText(content) ?? JSON.stringify(rubric);
    const name = textField(rubric, "rubric_id", "rubricId");
    checks.push(namedCheck({ type: "rubric", text }, { name, beside: checks }));
  }
  return checks;
}

function noteSession(value: JsonRecord, { place, collector }: ItemContext): void {
  const session = recordField(value, "session_input", "sessionInput", "initial_session");
  const state = recordField(session, "state");
  if (state && Object.keys(state).length > 0) {
    collector.note(
      "dropped",
      locationBelow(place, "session_input"),
      `the session's initial state: ${Object.keys(state).join(", ")}`,
    );
  }
  const last = recordField(value, "final_session_state", "finalSessionState") ?? {};
  if (Object.keys(last).length > 0)
    collector.note("dropped", place, `the session's expected state: ${Object.keys(last).join(", ")}`);
}
