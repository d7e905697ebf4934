import { truncateText } from "../../../base/text.ts";
import type { ScenarioResult } from "../../../contract/schemas/evaluation-response.ts";
import { overallFirst } from "../../../contract/schemas/scores/score-names.ts";
import { failureOf } from "./failure.ts";
import { passedText, verdictOf, type ScenarioVerdict } from "./verdict.ts";
import { unauditedMark } from "../../../contract/schemas/judging/unaudited.ts";
import { scoreText, stripControlCharacters, unauditedScores, whyNotJudged } from "./report-text.ts";
import type { ResultExport, RunHead, RunJudgement } from "./result-export.ts";

type XmlNode = { readonly [name: string]: string | number | XmlNode | readonly XmlNode[] };

/**
 * JUnit XML with one test case per scenario, not per attempt. The file starts with totals, so the text of each case is kept until
 * `finish`.
 */
export function createJunit(): ResultExport {
  const cases: string[] = [];
  const counts = { passed: 0, failed: 0, error: 0, unscored: 0, simulator_failed: 0, not_run: 0 };
  let seconds = 0;
  let run: RunHead | undefined;
  return {
    shortens: true,
    start(head) {
      run = head;
      return "";
    },
    scenario(result) {
      const verdict = verdictOf(result);
      counts[verdict.outcome] += 1;
      seconds += secondsOf(result);
      cases.push(caseText(toCase(result, verdict, run?.test_name ?? "rehearsal")));
      return "";
    },
    *finish() {
      const figures = {
        "@_tests": cases.length,
        "@_failures": counts.failed,
        "@_errors": counts.error,
        "@_skipped": counts.unscored + counts.simulator_failed + counts.not_run,
        "@_time": seconds.toFixed(3),
      };
      const name = stripControlCharacters(run?.test_name ?? "rehearsal");
      const properties = { property: runProperties(run) };
      const scenarios = { "@_name": name, ...figures, properties, testcase: placeholder };
      const gates = gateSuite(name, run?.judgements ?? []);
      const all = gates && {
        ...figures,
        "@_tests": figures["@_tests"] + gates["@_tests"],
        "@_failures": figures["@_failures"] + gates["@_failures"],
        "@_errors": figures["@_errors"] + gates["@_errors"],
      };
      const suites = gates ? [scenarios, gates] : scenarios;
      const text = build({ "@_name": "rehearsal", ...(all ?? figures), testsuite: suites });
      const place = text.indexOf(placeholderText);
      yield `<?xml version="1.0" encoding="UTF-8"?>\n${text.slice(0, place)}`;
      yield* cases;
      yield text.slice(place + placeholderText.length);
    },
  };
}

/** Shows why a run failed even though all its scenarios passed. */
function gateSuite(run: string, judgements: readonly RunJudgement[]) {
  const required = judgements.filter(({ outcome }) => outcome !== "told");
  if (required.length === 0) return undefined;
  const count = (wanted: RunJudgement["outcome"]): number =>
    required.filter(({ outcome }) => outcome === wanted).length;
  return {
    "@_name": "gates",
    "@_tests": required.length,
    "@_failures": count("failed"),
    "@_errors": count("error"),
    "@_skipped": 0,
    "@_time": "0.000",
    testcase: required.map(({ name, outcome, message }): XmlNode => {
      const head = { "@_name": stripControlCharacters(name), "@_classname": `${run}.gates`, "@_time": "0.000" };
      if (outcome === "passed") return head;
      if (outcome === "undecided") return { ...head, skipped: { "@_message": stripControlCharacters(message) } };
      const problem = { "@_message": stripControlCharacters(message), "@_type": outcome };
      return { ...head, [outcome === "error" ? "error" : "failure"]: problem };
    }),
  };
}

const build = (testsuites: XmlNode): string => elementText("testsuites", testsuites, "");

/** An element: keys with `@_` are attributes, `#text` is its text, and others are elements within it, or lists of them. */
function elementText(name: string, node: XmlNode, indent: string): string {
  const attributes = Object.entries(node).filter(([key]) => key.startsWith("@_"));
  const head = attributes.map(([key, value]) => ` ${key.slice(2)}="${escapeXml(String(value))}"`).join("");
  const text = escapeXml(String(node["#text"] ?? ""));
  const within = Object.entries(node)
    .filter(([key]) => !key.startsWith("@_") && key !== "#text")
    .flatMap(([key, value]) => elementsOf(value).map((each) => elementText(key, each, `${indent}  `)))
    .join("");
  if (within === "" && text === "") return `${indent}<${name}${head}/>\n`;
  return `${indent}<${name}${head}>${text}${within === "" ? "" : `\n${within}${indent}`}</${name}>\n`;
}

const elementsOf = (value: XmlNode[string] | undefined): readonly XmlNode[] =>
  typeof value === "object" ? (Array.isArray(value) ? (value as readonly XmlNode[]) : [value as XmlNode]) : [];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

const escapeXml = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? letter);

/** Stands for the cases in a file that is built without them. No text of a user can be this element. */
const placeholder = { "@_name": "cases" };
const placeholderText = caseText(placeholder);

/** A case as it is written within the suites of a file. */
function caseText(node: XmlNode): string {
  const text = build({ testsuite: { testcase: node } });
  const [head, tail] = ["<testsuites>\n  <testsuite>\n", "  </testsuite>\n</testsuites>\n"];
  return text.slice(head.length, -tail.length);
}

/** All cases are in memory until the end, so long texts are cut. */
const longestText = 10_000;

const shorten = (text: string): string => truncateText(text, longestText);
const property = (name: string, value: string | number): XmlNode => ({
  "@_name": stripControlCharacters(name),
  "@_value": stripControlCharacters(String(value)),
});

function runProperties(run: RunHead | undefined): XmlNode[] {
  if (!run) return [];
  return [
    property("run_id", run.run_id),
    property("endpoint", run.endpoint),
    property("model_id", run.model_id),
    property("state", run.state),
    ...(run.message === undefined ? [] : [property("message", run.message)]),
    ...(run.summary?.stopped_by ? [property("stopped_by", run.summary.stopped_by)] : []),
  ];
}

function secondsOf({ attempts }: ScenarioResult): number {
  return attempts
    .flatMap(({ interactions }) => interactions)
    .reduce((sum, { latency_ms }) => sum + latency_ms / 1000, 0);
}

const whySkipped = {
  simulator_failed: "the simulated user failed in every attempt",
  not_run: "not run: the run ended before any attempt finished",
} as const;

function toCase(result: ScenarioResult, verdict: ScenarioVerdict, suite: string): XmlNode {
  const properties = { property: caseProperties(result, verdict) };
  const head = {
    "@_name": stripControlCharacters(result.scenario_id),
    "@_classname": stripControlCharacters(suite),
    "@_time": secondsOf(result).toFixed(3),
    properties,
  };
  const { outcome } = verdict;
  if (outcome === "passed") return head;
  if (outcome === "unscored" || outcome === "simulator_failed" || outcome === "not_run") {
    const why = outcome === "unscored" ? stripControlCharacters(whyNotJudged(result)) : whySkipped[outcome];
    return { ...head, skipped: { "@_message": why } };
  }
  const { message, text } = describeFailure(result, verdict);
  return {
    ...head,
    [outcome === "error" ? "error" : "failure"]: {
      "@_message": message,
      "@_type": outcome,
      "#text": text,
    },
  };
}

function caseProperties(result: ScenarioResult, { passed, counted, run, threshold }: ScenarioVerdict): XmlNode[] {
  const { score_stats, average_scores, reliability, attempts } = result;
  const stats = score_stats["overall"];
  const interval =
    stats && stats.ci_lower !== null ? `${scoreText(stats.ci_lower)} to ${scoreText(stats.ci_upper)}` : "none";
  return [
    property("attempts", attempts.length),
    ...(run < attempts.length ? [property("attempts.run", `${run} of ${attempts.length}`)] : []),
    property("passed", `${passed} of ${counted}`),
    ...(threshold === undefined ? [] : [property("threshold", threshold)]),
    property("overall.mean", scoreText(average_scores["overall"])),
    property("overall.interval95", interval),
    ...(reliability?.pass_at_k ?? []).map((value, index) => property(`pass@${index + 1}`, scoreText(value))),
    ...(reliability?.pass_hat_k ?? []).map((value, index) => property(`pass^${index + 1}`, scoreText(value))),
    ...overallFirst(Object.keys(average_scores)).map((name) =>
      property(`score.${name}`, scoreText(average_scores[name])),
    ),
    ...Array.from(unauditedScores([result]), (name) => property(`judge.${name}`, unauditedMark)),
  ];
}

/** Describes the first bad turn of the worst attempt, and what the attempt as a whole got wrong. */
function describeFailure(result: ScenarioResult, verdict: ScenarioVerdict): { message: string; text: string } {
  const { threshold } = verdict;
  const needed = threshold === undefined ? "" : `, threshold ${threshold}`;
  const summary = `${passedText(verdict)} (overall ${scoreText(result.average_scores["overall"])}${needed})`;
  const failure = failureOf(result, threshold);
  if (!failure) return { message: summary, text: summary };
  const { attempt, interaction, causes, calls, stateDifferences } = failure;
  const { error, scores, score_reasons } = interaction;
  const user_message = shorten(interaction.prompt ?? interaction.user_message);
  const reference_reply = shorten(interaction.reference_reply);
  const agent_reply = shorten(interaction.agent_reply);
  const score = scores["overall"] === undefined ? score_reasons["overall"] : undefined;
  const why = error ? causes[0] : (score ?? `overall ${scoreText(scores["overall"])}`);
  const where = `attempt ${attempt}, turn ${interaction.turn_index + 1} (${interaction.id}): ${why}`;
  const others = error ? causes.slice(1) : causes;
  const lines = [
    summary,
    where,
    `user:      ${user_message}`,
    ...(reference_reply === "" ? [] : [`reference: ${reference_reply}`]),
    ...(calls ? [...calls.expected.map(expectedLine), ...madeLines(calls.made)] : []),
    `reply:     ${agent_reply}`,
    ...others.map((cause) => `check:     ${cause}`),
    ...stateDifferences.map((difference) => `state:     ${difference}`),
  ];
  const quoted = (text: string): string => JSON.stringify(truncateText(text, 120));
  const expected = reference_reply === "" ? [] : [`expected ${quoted(reference_reply)}`];
  const message = [where, ...others, [...expected, `got ${quoted(agent_reply)}`].join(", ")].join("; ");
  return { message: stripControlCharacters(message), text: stripControlCharacters(lines.join("\n")) };
}

const expectedLine = (call: string): string => `expected:  ${call}`;

const mostCalls = 20;

function madeLines(calls: readonly string[]): string[] {
  if (calls.length === 0) return ["called:    nothing"];
  const more = calls.length > mostCalls ? [`called:    ${calls.length - mostCalls} more`] : [];
  return [...calls.slice(0, mostCalls).map((call) => `called:    ${call}`), ...more];
}
