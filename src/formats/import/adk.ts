import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import type { TurnCheck } from "../../contract/schemas/scores/scorer-setting.ts";
import {
  anyField,
  listField,
  recordField,
  scalarText,
  textField,
  locationBelow,
  hasAnyField,
  hasFields,
  hasList,
} from "../documents/records.ts";
import { namedCheck, type ImportedTurn } from "../shared/imported-scenario.ts";
import { readContent } from "../shared/read-messages.ts";
import {
  joinResults,
  readToolCalls,
  readToolResult,
  toReferenceCalls,
  type ImportedToolCall,
} from "../shared/tool-calls.ts";
import { defineFormat, type Importer } from "../shared/define-format.ts";
import { descend, itemsOf, otherFields, type ItemContext, listUnder } from "../shared/items.ts";

/** ADK eval sets (`eval_cases`, snake or camel case) and older files with `query` and `reference`. */
const importAdk: Importer = ({ document, collector, mapping }) => {
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

export const adk = defineFormat({
  id: "adk",
  title: "ADK eval sets",
  label: "ADK eval set",
  extensions: ["json", "evalset.json"],
  detect: [
    { of: "file", rank: 80, because: "it has eval_cases", holds: hasList("eval_cases", "evalCases") },
    { of: "file", rank: 90, because: "it has the criteria of an evaluation", holds: isAdkConfig },
    {
      of: "item",
      rank: 250,
      because: "its items have an ADK conversation",
      holds: (value) => hasAnyField("user_content", "userContent")(listField(value, "conversation")?.[0]),
    },
    {
      of: "item",
      rank: 260,
      because: "its items have query and reference or expected tools",
      holds: (value) =>
        hasFields("query")(value) && hasAnyField("expected_tool_use", "expected_intermediate_agent_responses")(value),
    },
    {
      of: "item",
      rank: 270,
      because: "its items have data with queries",
      holds: (value) => hasFields("query")(listField(value, "data")?.[0]),
    },
  ],
  read: importAdk,
});

/** True for ADK's file of evaluation criteria, which is stored next to eval sets. */
function isAdkConfig(value: unknown): value is JsonRecord {
  return recordField(value, "criteria") !== undefined && otherFields(value as JsonRecord, settings).length === 0;
}

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
  const rubrics = listField(value, "rubrics") ?? [];
  if (rubrics.length > 0) collector.note("changed", place, "rubrics of the whole case became checks of its last turn");
  collector.add({
    place,
    id: anyField(value, "eval_id", "evalId", "name"),
    metadata: sessionOf(value, context),
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
  const calls = adkCalls(value);
  if (user.text === "") {
    collector.note("dropped", place, "the invocation has no user text");
    return [];
  }
  return [
    compact({
      id: anyField(value, "invocation_id", "invocationId"),
      user: user.text,
      reference: final.text,
      checks: rubricChecks(listField(value, "rubrics") ?? []),
      expected: calls ? toReferenceCalls(calls, { place, note: collector.note }) : undefined,
      calls,
    }),
  ];
}

/** The expected calls, with their responses where the file has them. Undefined if it says nothing about tools. */
function adkCalls(value: unknown): ImportedToolCall[] | undefined {
  const steps = recordField(value, "intermediate_data", "intermediateData");
  const events = (listField(steps, "invocation_events", "invocationEvents") ?? []).map((event) =>
    readContent(anyField(event, "content")),
  );
  const used = listField(steps, "tool_uses", "toolUses") ?? listField(value, "expected_tool_use", "expectedToolUse");
  if (!used && events.length === 0) return undefined;
  const responses = (listField(steps, "tool_responses", "toolResponses") ?? []).map((each) => readToolResult(each));
  const calls = [...readToolCalls(used), ...events.flatMap((event) => event.calls)];
  return joinResults(calls, [...responses, ...events.flatMap((event) => event.results)]).calls;
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

/** ADK's session state belongs to its session service, not to a world; it is kept. */
function sessionOf(value: JsonRecord, { place, collector }: ItemContext): JsonRecord {
  const state = recordField(recordField(value, "session_input", "sessionInput", "initial_session"), "state") ?? {};
  const last = recordField(value, "final_session_state", "finalSessionState") ?? {};
  const session = compact({
    session_state: Object.keys(state).length > 0 ? state : undefined,
    final_session_state: Object.keys(last).length > 0 ? last : undefined,
  });
  if (Object.keys(session).length > 0)
    collector.note(
      "changed",
      locationBelow(place, "session_input"),
      `the session's state is kept as metadata and not checked: ${[...new Set([...Object.keys(state), ...Object.keys(last)])].join(", ")}`,
    );
  return session;
}
