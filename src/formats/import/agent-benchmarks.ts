import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { anyField, field, listField, recordField, scalarText, textField, toTextList } from "../documents/records.ts";
import { recordedTurn, type ImportedTurn } from "../shared/imported-scenario.ts";
import { turnsFromMessages } from "../shared/read-messages.ts";
import { FormatError } from "../documents/format-error.ts";
import { readTools, toReferenceCalls, type ImportedToolCall } from "../shared/tool-calls.ts";
import { parsePythonLiteral } from "../documents/python-literal.ts";
import { keepOthers, noteFailed, readInput } from "../shared/dataset-item.ts";
import { defineFormat, type Importer } from "../shared/define-format.ts";
import { descend, itemsOf, listUnder, type ItemContext } from "../shared/items.ts";

/** True for a question of the Berkeley Function-Calling Leaderboard: a list of messages for each turn. */
function isBfclQuestion(value: unknown): boolean {
  const [first] = listField(value, "question") ?? [];
  return Array.isArray(first);
}

/** True for the expected calls of such a question, which are in a file of their own. */
function isBfclAnswer(value: unknown): boolean {
  return isRecord(value) && !("question" in value) && "id" in value && isGroundTruth(value["ground_truth"]);
}

const isGroundTruth = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  (value.every((call) => isRecord(call) && Object.values(call).every(isRecord)) ||
    value.every(
      (turn) => Array.isArray(turn) && turn.every((call) => typeof call === "string" && /^[^(]*\(.*\)$/s.test(call)),
    ));

/**
 * Questions of the Berkeley Function-Calling Leaderboard, with the expected calls if the file of possible answers is imported with
 * them. Texts are compared as the leaderboard does: case, punctuation and white space aside.
 */
const importBfcl: Importer = ({ document, beside = [], collector, mapping }) => {
  const items = [document, ...beside].flatMap((file) => itemsOf(file));
  const answers = new Map(
    items.flatMap(({ value }) => (isBfclAnswer(value) ? [[scalarText(field(value, "id")), value] as const] : [])),
  );
  const questions = items.filter(({ value }) => !isBfclAnswer(value));
  if (questions.length === 0)
    throw new FormatError(
      "these are the possible answers of BFCL without the questions; import both files with one command",
    );
  for (const { value, place } of questions) {
    const context = { place, collector, mapping };
    if (isRecord(value) && isBfclQuestion(value)) addQuestion(value, answers.get(scalarText(value["id"])), context);
    else collector.note("dropped", place, "the item has no question");
  }
};

export const bfcl = defineFormat({
  id: "bfcl",
  title: "Berkeley Function-Calling Leaderboard",
  label: "BFCL",
  extensions: ["json", "jsonl"],
  detect: [
    { of: "item", rank: 10, because: "its items have a list of messages for each turn", holds: isBfclQuestion },
    { of: "item", rank: 20, because: "its items have the expected calls of questions", holds: isBfclAnswer },
  ],
  companions: (files, detect) => {
    // Most files are ruled out without parsing them.
    const questions = files.filter(({ text }) => /"question"\s*:\s*\[\s*\[/.test(text.slice(0, 2_000)));
    if (questions.length === 0) return [];
    const answers = files.filter((file) => {
      const start = file.text.slice(0, 2_000);
      return (
        /"ground_truth"\s*:\s*\[/.test(start) && !/"question"\s*:/.test(start) && detect(file)?.format.id === "bfcl"
      );
    });
    // Both files have one name, or they are the only two.
    const only = questions.length === 1 && answers.length === 1 ? answers[0] : undefined;
    return questions.flatMap((file) => {
      const found = answers.find(({ name = "" }) => fileName(name) === fileName(file.name ?? "")) ?? only;
      return found ? [[file, [found]] as const] : [];
    });
  },
  read: importBfcl,
});

const fileName = (path: string): string => path.replace(/^.*[\\/]/, "");

function addQuestion(value: JsonRecord, answer: unknown, context: ItemContext): void {
  const { place, collector } = context;
  const lists = listField(value, "question") ?? [];
  if (lists.some((list) => Array.isArray(list) && list.length === 0))
    collector.note(
      "dropped",
      descend(context, "question").place,
      "a turn without a message of the user",
      "empty turns",
    );
  const conversation = readInput(lists, descend(context, "question"));
  const known = ["id", "question", "function", "ground_truth"];
  const truth = field(answer, "ground_truth") ?? value["ground_truth"];
  const id = scalarText(value["id"]) ?? "";
  const turns = withExpectedCalls(conversation?.turns ?? [], { truth, isIrrelevant: /irrelevance/.test(id) }, context);
  const tools = readTools(value["function"]);
  collector.add(
    compact({
      place,
      id: value["id"],
      metadata: keepOthers(value, known, context),
      system: conversation?.system,
      tools,
      matching: turns.some(({ expected }) => expected) ? { text: "loose", extra: "forbid" } : undefined,
      turns,
    }),
  );
}

interface BenchmarkExpectation {
  readonly truth: unknown;
  /** No function fits, so none must be called. */
  readonly isIrrelevant: boolean;
}

function withExpectedCalls(
  turns: readonly ImportedTurn[],
  { truth, isIrrelevant }: BenchmarkExpectation,
  { place, collector }: ItemContext,
): ImportedTurn[] {
  const last = turns.length - 1;
  if (isIrrelevant) return turns.map((turn, index) => (index < last ? turn : { ...turn, expected: [] }));
  if (!isGroundTruth(truth) || !Array.isArray(truth)) return [...turns];
  if (truth.every(isRecord)) {
    const calls = truth.flatMap((call) => Object.entries(call).map(([name, given]) => toExpected(name, given)));
    return turns.map((turn, index) => (index < last ? turn : { ...turn, expected: calls }));
  }
  if (truth.length !== turns.length) {
    collector.note("dropped", place, "the expected calls: there are more or fewer of them than turns");
    return [...turns];
  }
  return turns.map((turn, index) => {
    const calls = (truth[index] as string[]).map(parseCall);
    if (calls.some((call) => call.arguments === undefined))
      collector.note(
        "changed",
        place,
        "an expected call has arguments without names; any arguments are accepted",
        "expected calls with arguments without names, which accept any",
      );
    return { ...turn, expected: toReferenceCalls(calls, { place, note: collector.note }) };
  });
}

/** Every argument has a list of acceptable values; an empty text among them means that it may be left out. */
function toExpected(name: string, given: unknown): object {
  const entries = Object.entries(isRecord(given) ? given : {}).map(([key, values]) => [key, toMatcher(values)]);
  return { name, arguments: Object.fromEntries(entries) };
}

function toMatcher(values: unknown): unknown {
  if (!Array.isArray(values)) return values;
  const choices = values.map((value) => (value === "" ? { $absent: true } : toChoice(value)));
  return choices.length === 1 ? choices[0] : { $one_of: choices };
}

/** The values of an object among the choices are lists of choices again. */
function toChoice(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => (isRecord(entry) ? toChoice(entry) : entry));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, values]) => [key, toMatcher(values)]));
}

/** Parses a call as Python writes it, such as `mv(source='a', destination='b')`. Without names, any arguments are right. */
function parseCall(text: string): ImportedToolCall {
  const [, name = text, inside = ""] = /^([\w.]+)\((.*)\)$/s.exec(text) ?? [];
  if (inside.trim() === "") return { name, arguments: {} };
  const named = /^\s*\w+\s*=/.test(inside);
  // `a=1, b=[2]` becomes `{"a": 1, "b": [2]}`: an equals sign outside texts follows a name.
  const literal = `{${inside.replace(/("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|(?<!\w)(\w+)\s*=(?!=)/gs, (whole: string, quoted?: string, key?: string) => (quoted === undefined ? `"${key}": ` : whole))}}`;
  const value = named ? parsePythonLiteral(literal) : undefined;
  return { name, arguments: isRecord(value) ? value : undefined };
}

/** True for a trajectory of tau-bench: messages with tools, the task and its reward. */
function isTauBench(value: unknown): boolean {
  return (
    listField(value, "traj") !== undefined ||
    (listField(value, "simulations") !== undefined && "tasks" in (value as object))
  );
}

/** Trajectories of tau-bench (`traj`) and tau2-bench (`simulations`). Their results make a recorded world. */
const importTauBench: Importer = ({ document, collector, mapping }) => {
  const tasks = new Map(
    document.values.flatMap(({ value }) =>
      (listField(value, "tasks") ?? []).map((task) => [scalarText(field(task, "id")), task] as const),
    ),
  );
  for (const { value, place } of itemsOf(document, listUnder("simulations"))) {
    const context = { place, collector, mapping };
    if (isRecord(value)) addTrajectory(value, tasks.get(scalarText(value["task_id"])), context);
    else collector.note("dropped", place, "the item is not a trajectory");
  }
};

export const tauBench = defineFormat({
  id: "tau-bench",
  title: "tau-bench trajectories",
  label: "tau-bench",
  extensions: ["json"],
  detect: [
    { of: "file", rank: 40, because: "it has simulations of tasks", holds: isTauBench },
    { of: "item", rank: 30, because: "its items have trajectories with tasks", holds: isTauBench },
  ],
  read: importTauBench,
});

/** The simulated user ends a conversation with a mark. */
const endMark = /(?<!\s)\s*###(?:STOP|TRANSFER|OUT-OF-SCOPE)###\s*/g;

function addTrajectory(value: JsonRecord, listed: unknown, context: ItemContext): void {
  const { place, collector } = context;
  const name = listField(value, "traj") ? "traj" : "messages";
  const messages = (listField(value, name) ?? []).map((message) => {
    const content = field(message, "content");
    return isRecord(message) && message["role"] === "user" && typeof content === "string"
      ? { ...message, content: content.replace(endMark, "") }
      : message;
  });
  const { system, turns } = turnsFromMessages({ messages, place: descend(context, name).place, collector });
  const said = turns.filter(({ user, calls = [] }) => user !== "" || calls.length > 0);
  const reward = anyField(value, "reward") ?? anyField(value["reward_info"], "reward");
  const isFailed = typeof reward === "number" && reward < 1;
  if (isFailed) noteFailed(context);
  const info = recordField(value, "info");
  const task = recordField(info, "task") ?? (isRecord(listed) ? listed : undefined);
  const outputs = toTextList(listField(task, "outputs")) ?? [];
  if (task && (listField(task, "actions")?.length ?? 0) > 0)
    collector.note(
      "changed",
      place,
      "the actions of the task describe the final state, which a recorded world does not have; they are kept as metadata, for expect.state_after in a world of functions",
      "tasks whose expected actions are kept as metadata",
    );
  const trial = scalarText(anyField(value, "trial")) ?? "";
  collector.add(
    compact({
      place,
      id: [`task-${scalarText(value["task_id"]) ?? ""}`, ...(trial === "" ? [] : [`trial-${trial}`])].join("-"),
      description: textField(task, "instruction"),
      system,
      metadata: compact({ reward, task, trial: trial !== "" ? value["trial"] : undefined }),
      expect: outputs.length > 0 ? { said: outputs } : undefined,
      turns: isFailed ? said.map((turn) => recordedTurn(turn, collector)) : said,
    }),
  );
}
