import { compact } from "../../base/compact.ts";
import type { ConversationJudgement } from "../../contract/schemas/judging/judge.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { RecordedToolCall, ToolMatching } from "../../contract/schemas/acting/tool-call.ts";
import type {
  Expectation,
  ExpectationResult,
  StateDifference,
  ToolPattern,
} from "../../contract/schemas/acting/world.ts";
import { normalize } from "../../scoring/text/tokenize.ts";
import { isCallOf } from "../tools/match-calls.ts";
import { compileExpected, searchSteps, shown, type MatchContext } from "../tools/matchers.ts";
import { createProbes, type Probes, type ProbeSession } from "../tools/probes.ts";
import { requiredChecks, type CheckedTurn } from "../tools/required-checks.ts";
import { unseenCalls } from "../../scoring/scorers/scorer.ts";
import { isVisible, matchContext, type ScoreCallsOptions, type TurnTools } from "../tools/score-calls.ts";
import { missing, parsePointer, StateView, type ChangedPart } from "../world/state.ts";
import { mostDifferences, stateDifferences } from "./state-diff.ts";

/** The conversation that is compared with the expectation. */
export interface OutcomeInput {
  readonly expect: Expectation;
  /** The replies of the attempt, in the order of the turns. */
  readonly replies: readonly StoredReply[];
  /** The final state of the attempt's world, as JSON or as a view; undefined when it is not known. */
  readonly state?: unknown;
  /** The state of a fresh world after the calls of `state_after`; undefined when it is not known. */
  readonly expectedState?: unknown;
  /** Why a state is not known, in a sentence. Default: the attempt had no world. */
  readonly unknownState?: string;
  /** The answer of the judge to the rubric. */
  readonly rubric?: RubricAnswer | undefined;
  /** What the code of `code` says about the final state, in its order; undefined when the state is not known. */
  readonly code?: readonly RubricAnswer[] | undefined;
  /** The turns with their scores, for `checks`. */
  readonly scored?: readonly CheckedTurn[] | undefined;
  /** The parts of an earlier outcome, kept where the state is no longer known. */
  readonly earlier?: ExpectationResult | undefined;
  readonly matching?: ToolMatching | undefined;
  /** The tools of the attempt's world, whose calls are seen where the agent reports none. */
  readonly tools?: TurnTools | undefined;
  /** Default: patterns and schemas are applied in place. */
  readonly probes?: Probes;
  readonly signal?: AbortSignal;
}

/** `passed` is null without a verdict. */
export interface RubricAnswer {
  readonly passed: boolean | null;
  readonly reason: string;
}

type OutcomePart = ExpectationResult["parts"][number];

/** An outcome with the share of its tool rules that hold; null when it has none. */
export interface EvaluatedOutcome {
  readonly outcome: ExpectationResult;
  readonly toolRules: { readonly held: number; readonly rules: number } | null;
  /** The scores that need calls, or arguments, which could not be seen. */
  readonly undecided: readonly string[];
}

/** An attempt as plain data, as far as the expectation asks for it. */
interface ComparedAttempt extends Pick<
  OutcomeInput,
  "expect" | "rubric" | "code" | "scored" | "earlier" | "matching" | "tools" | "unknownState"
> {
  readonly replies: readonly Pick<StoredReply, "agent_reply" | "error" | "tool_calls" | "calls_seen">[];
  /** The values at the pointers of `expect.state`; undefined when the final state is not known. */
  readonly values?: readonly unknown[] | undefined;
  /** The parts in which the final state may differ from that of `state_after`; undefined when one of them is not known. */
  readonly changed?: readonly ChangedPart[] | undefined;
}

/**
 * Compares an attempt with the expectation of its scenario, part by part. One failed part makes the outcome 0, even when another
 * could not be decided. A turn without a reply fails the outcome too.
 */
export async function evaluateOutcome({
  probes = createProbes(),
  signal = new AbortController().signal,
  state,
  expectedState,
  ...attempt
}: OutcomeInput): Promise<EvaluatedOutcome> {
  const { expect, replies } = attempt;
  const final = state === undefined ? undefined : viewOf(state);
  const input: ComparedAttempt = {
    ...attempt,
    replies: replies.map(({ agent_reply, error, tool_calls, calls_seen }) => ({
      agent_reply,
      error,
      calls_seen,
      tool_calls: tool_calls?.map(withoutResult),
    })),
    tools: attempt.tools && { tools: attempt.tools.tools.map(({ answers: _answers, ...tool }) => tool) },
    values: final && Object.keys(expect.state ?? {}).map((pointer) => stateValueAt(final, pointer)),
    changed:
      expect.state_after && final && expectedState !== undefined
        ? StateView.changedParts(viewOf(expectedState), final)
        : undefined,
  };
  const comparison = { kind: "outcome", input, expected: expect, compare: compareOutcome } as const;
  return (await probes.compare(comparison, signal)) ?? compareOutcome(input, null);
}

/** Results may be long, and nothing is compared with them. */
function withoutResult({ result: _result, ...call }: RecordedToolCall): RecordedToolCall {
  return call;
}

/** Decides the parts of an expectation. Without a session, those that take long stay undecided. */
export function compareOutcome(input: ComparedAttempt, session: ProbeSession | null): EvaluatedOutcome {
  const { expect, replies, matching = {} } = input;
  /** Set when a pattern or schema of the current part could not be applied. */
  let failure: string | undefined;
  const decide = (
    names: readonly (keyof Expectation)[],
    compare: (context: MatchContext) => readonly OutcomePart[],
  ) => {
    const wanted = names.filter((name) => expect[name] !== undefined);
    if (!session)
      return wanted.map((name): OutcomePart => ({ name, passed: null, reason: "undecided: takes too long to check" }));
    failure = undefined;
    const parts = compare(matchContext(matching, session, (reason) => (failure ??= reason)));
    return failure === undefined
      ? parts
      : parts.map((part) => ({ ...part, passed: null, reason: `undecided: ${failure}` }));
  };

  const calls = replies.flatMap((reply, turn) => (reply.tool_calls ?? []).map((call) => ({ ...call, turn })));
  // An agent that reported calls in one turn would have reported those of the others.
  const answered = replies.filter(({ error }) => !error);
  const isReported = answered.some(({ calls_seen }) => calls_seen === undefined);
  // Spans that did not come may have shown calls, whatever those of other turns show.
  const isMissing = answered.some(({ calls_seen }) => calls_seen === "spans");
  const seen = isMissing ? "spans" : isReported ? undefined : answered[0]?.calls_seen;
  const differences: StateDifference[] = [];
  let rules: readonly RuleResult[] = [];
  const parts = [
    repliesPart(replies),
    ...decide(["state", "state_after"], (context) => stateParts(input, { context, differences })),
    ...decide(["said"], (context) => (expect.said ? [saidPart(expect.said, replies, context)] : [])),
    ...decide(ruleNames, (context) => {
      const matched = { extraArguments: matching.extra_arguments ?? "forbid", context } as const;
      rules = toolRules(expect, calls, { ...matched, seen, tools: input.tools });
      return rules.map(rulePart);
    }),
    ...(expect.code === undefined ? [] : [codePart(input)]),
    ...(expect.rubric === undefined ? [] : [rubricPart(input.rubric)]),
    ...(expect.checks === undefined ? [] : [checksPart(input.scored ?? [])]),
  ];
  const value = parts.some(({ passed }) => passed === false)
    ? 0
    : parts.some(({ passed }) => passed === null)
      ? null
      : 1;
  const broken = rules.reduce((sum, rule) => sum + rule.broken.length, 0);
  const counted = rules.reduce((sum, rule) => sum + rule.broken.length + rule.kept.length, 0);
  const open = rules.filter((rule) => rule.open.length > 0);
  const openParts = new Set(open.map(({ name }) => name));
  for (const { name, passed } of parts) if (passed !== null) openParts.delete(name);
  return {
    outcome: compact({ value, parts, state_diff: differences.length > 0 ? differences : undefined }),
    toolRules: counted === 0 || open.length > 0 ? null : { held: counted - broken, rules: counted },
    undecided: [
      ...(openParts.size > 0 && value === null ? ["outcome"] : []),
      ...[...openParts].map((name) => `outcome.${name}`),
      ...(open.length > 0 ? ["tool_rules"] : []),
    ],
  };
}

/** Every piece of code must pass. */
function codePart({ code, earlier, unknownState }: ComparedAttempt): OutcomePart {
  if (!code) {
    const reason = `undecided: ${unknownState ?? "the attempt had no world"}`;
    return earlier?.parts.find(({ name }) => name === "code") ?? { name: "code", passed: null, reason };
  }
  const wrong = code.filter(({ passed }) => passed === false);
  const open = code.filter(({ passed }) => passed === null);
  const passed = wrong.length > 0 ? false : open.length > 0 ? null : true;
  const [first] = wrong.length > 0 ? wrong : open;
  return { name: "code", passed, reason: first?.reason ?? `the code passes (${code.length})` };
}

/** An attempt with a failed turn does not pass: the agent could have done anything there. */
function repliesPart(replies: ComparedAttempt["replies"]): OutcomePart {
  const failed = replies.flatMap(({ error }, turn) => (error ? [`turn ${turn + 1} got no reply: ${error.code}`] : []));
  const reason = failed.length === 0 ? "every turn got a reply" : failed.slice(0, 5).join("; ");
  return { name: "replies", passed: failed.length === 0, reason };
}

/** The parts about the final state. Differences are added to the list. */
function stateParts(
  { expect, values, changed, earlier, unknownState }: ComparedAttempt,
  { context, differences }: { readonly context: MatchContext; readonly differences: StateDifference[] },
): OutcomePart[] {
  function compared(name: string, found: readonly StateDifference[], right: string): OutcomePart {
    differences.push(...found);
    return { name, passed: found.length === 0, reason: found.length === 0 ? right : stateDifferenceText(found) };
  }
  function unknown(name: string): OutcomePart {
    const kept = earlier?.parts.find((part) => part.name === name);
    if (!kept) return { name, passed: null, reason: `undecided: ${unknownState ?? "the attempt had no world"}` };
    if (differences.length === 0) differences.push(...(earlier?.state_diff ?? []));
    return kept;
  }
  const parts: OutcomePart[] = [];
  if (expect.state) {
    const pointers = Object.entries(expect.state);
    const right = pointers.length === 1 ? "the value is as expected" : `all ${pointers.length} values are as expected`;
    const differing =
      values && pointers.flatMap(([pointer, expected], index) => differencesAt(pointer, expected, values[index]));
    parts.push(differing ? compared("state", differing, right) : unknown("state"));
  }
  if (expect.state_after) {
    const right = "the final state is that after the expected calls";
    parts.push(changed ? compared("state_after", differencesAfter(changed, context), right) : unknown("state_after"));
  }
  return parts;

  function differencesAt(pointer: string, expected: unknown, actual: unknown): StateDifference[] {
    if (compileExpected(expected).test(actual, context)) return [];
    return stateDifferences(expected, actual, { pointer, context, hasMatchers: true });
  }
}

function viewOf(state: unknown): StateView {
  return state instanceof StateView ? state : new StateView(state);
}

/** The value at a JSON pointer; undefined where there is none. */
function stateValueAt(state: StateView, pointer: string): unknown {
  const path = parsePointer(pointer);
  const value = path ? state.read(path) : missing;
  return value === missing ? undefined : value;
}

/** Attempts share a large state, so only what was changed is compared. */
function differencesAfter(changed: readonly ChangedPart[], context: MatchContext): StateDifference[] {
  return changed
    .flatMap(({ path, left, right }) => stateDifferences(left, right, { pointer: path, context, hasMatchers: false }))
    .slice(0, mostDifferences);
}

function stateDifferenceText(differences: readonly StateDifference[]): string {
  const first = differences.slice(0, 3).map(({ path, expected, actual }) => {
    const found = actual === undefined ? "is missing" : `is ${shown(actual)}`;
    return `${path === "" ? "the state" : path} ${found}, expected ${expected === undefined ? "nothing" : shown(expected)}`;
  });
  return [...first, ...(differences.length > 3 ? [`${differences.length - 3} more`] : [])].join("; ");
}

/** Texts ignore case, white space and the commas of thousands; a matcher must match a whole reply. */
function saidPart(
  said: NonNullable<Expectation["said"]>,
  replies: ComparedAttempt["replies"],
  context: MatchContext,
): OutcomePart {
  const { count } = context.probes;
  const texts = replies.flatMap(({ agent_reply, error }) => (error ? [] : [agent_reply]));
  count(texts.reduce((sum, text) => sum + text.length / 8, 0));
  const keys = said.some((expected) => typeof expected === "string") ? texts.map(saidKey) : [];
  const missing = said.filter((expected) => {
    if (typeof expected !== "string") return !texts.some((text) => compileExpected(expected).test(text, context));
    const key = saidKey(expected);
    return !keys.some((text) => {
      count(searchSteps(text, key));
      return text.includes(key);
    });
  });
  const reason =
    missing.length === 0
      ? "everything was said"
      : `not said: ${missing
          .slice(0, 5)
          .map((expected) => compileExpected(expected).description)
          .join(", ")}`;
  return { name: "said", passed: missing.length === 0, reason };
}

const thousands = /(?<=\d),(?=\d{3}(?!\d))/g;

function saidKey(text: string): string {
  return normalize(text).replace(thousands, "");
}

function rubricPart(answer: RubricAnswer | undefined): OutcomePart {
  const { passed, reason } = answer ?? { passed: null, reason: "undecided: the run has no judge" };
  return { name: "rubric", passed, reason };
}

function checksPart(turns: readonly CheckedTurn[]): OutcomePart {
  const verdicts = turns.flatMap((turn, index) =>
    requiredChecks(turn).map(({ name, passed, reason }) => {
      const place = turns.length > 1 ? ` in turn ${index + 1}` : "";
      return { passed, text: `${name}${place}: ${reason}` };
    }),
  );
  const texts = (wanted: boolean | null): string =>
    verdicts
      .flatMap(({ passed, text }) => (passed === wanted ? [text] : []))
      .slice(0, 5)
      .join("; ");
  const failed = texts(false);
  if (failed !== "") return { name: "checks", passed: false, reason: failed };
  const undecided = texts(null);
  if (undecided !== "") return { name: "checks", passed: null, reason: `undecided: ${undecided}` };
  return { name: "checks", passed: true, reason: verdicts.length === 0 ? "there is none" : "all pass" };
}

type PlacedCall = RecordedToolCall & { readonly turn: number };

/** One kind of rule: a sentence for each rule that was broken, that was kept, or about which too little was seen. */
interface RuleResult {
  readonly name: string;
  readonly broken: readonly string[];
  readonly kept: readonly string[];
  readonly open: readonly string[];
}

function rulePart({ name, broken, kept, open }: RuleResult): OutcomePart {
  const passed = broken.length > 0 ? false : open.length > 0 ? null : true;
  const reasons = passed === false ? broken : passed === null ? [...new Set(open)] : kept;
  return { name, passed, reason: reasons.slice(0, 5).join("; ") };
}

function toolRules(
  { must_call, must_not_call, before, max_calls }: Expectation,
  calls: readonly PlacedCall[],
  { seen, tools, ...matching }: RuleOptions & Pick<ScoreCallsOptions, "seen" | "tools">,
): RuleResult[] {
  const isVisibleAll = (...patterns: readonly ToolPattern[]): boolean => isVisible(patterns, { seen, tools });

  /** A verdict on calls that were not seen is open, and so is one that depends on arguments which are not known. */
  function result<Rule>(
    name: string,
    rules: readonly Rule[] | undefined,
    check: (rule: Rule, options: RuleOptions) => PartVerdict,
  ): RuleResult[] {
    if (!rules) return [];
    const verdicts = rules.map((rule): PartVerdict => {
      const [verdict, other] = [false, true].map((unknown) => check(rule, { ...matching, unknown })) as [
        PartVerdict,
        PartVerdict,
      ];
      if (verdict.unseen && other.unseen) return { holds: null, reason: unseenCalls };
      if (verdict.holds === other.holds && !verdict.unseen && !other.unseen) return verdict;
      return { holds: null, reason: "undecided: the arguments of a call are not known" };
    });
    const reasons = (holds: boolean | null) =>
      verdicts.filter((verdict) => verdict.holds === holds).map(({ reason }) => reason);
    return [{ name, broken: reasons(false), kept: reasons(true), open: reasons(null) }];
  }

  return [
    ...result("must_call", must_call, (pattern, options) => {
      const first = calls.find((call) => isCallOf(pattern, call, options));
      return {
        holds: first !== undefined,
        unseen: !first && !isVisibleAll(pattern),
        reason: first ? `${patternText(pattern)} was called${at(first)}` : `${patternText(pattern)} was not called`,
      };
    }),
    ...result("must_not_call", must_not_call, (pattern, options) => {
      const first = calls.find((call) => isCallOf(pattern, call, options));
      return {
        holds: !first,
        unseen: !first && !isVisibleAll(pattern),
        reason: first ? `${patternText(pattern)} was called${at(first)}` : `${patternText(pattern)} was not called`,
      };
    }),
    ...result("before", before, ({ first, later }, options) => ({
      ...beforeVerdict({ first, later, calls, options }),
      unseen: !isVisibleAll(first, later),
    })),
    ...result("max_calls", max_calls === undefined ? undefined : limitsOf(max_calls), ({ name, limit }) => {
      const count = name === null ? calls.length : calls.filter((call) => call.name === name).length;
      return {
        holds: count <= limit,
        unseen: count <= limit && !isVisibleAll(...(name === null ? [] : [name])),
        reason: `${count} ${count === 1 ? "call" : "calls"}${name === null ? "" : ` of ${name}`}, at most ${limit} allowed`,
      };
    }),
  ];
}

/** `holds` is null when it could not be decided. */
interface PartVerdict {
  readonly holds: boolean | null;
  readonly reason: string;
  /** Set when calls that could not be seen may say otherwise. */
  readonly unseen?: boolean;
}

type RuleOptions = Parameters<typeof isCallOf>[2];

/** A call that failed has not done what the later one waits for. */
function beforeVerdict({
  first,
  later,
  calls,
  options,
}: {
  first: ToolPattern;
  later: ToolPattern;
  calls: readonly PlacedCall[];
  options: RuleOptions;
}): PartVerdict {
  // With unknown arguments, both sides are read in favour of a violation, or against it.
  const isFirst = { ...options, unknown: !options.unknown };
  const needed = calls.findIndex((call) => call.error === undefined && isCallOf(first, call, isFirst));
  const early = calls.find((call, index) => isCallOf(later, call, options) && (needed === -1 || index <= needed));
  if (!early) return { holds: true, reason: `${patternText(later)} was not called before ${patternText(first)}` };
  const missing = needed === -1 ? "without a successful call of" : "before";
  return { holds: false, reason: `${patternText(later)} was called${at(early)} ${missing} ${patternText(first)}` };
}

function limitsOf(limits: NonNullable<Expectation["max_calls"]>): { name: string | null; limit: number }[] {
  if (typeof limits === "number") return [{ name: null, limit: limits }];
  return Object.entries(limits).map(([name, limit]) => ({ name, limit }));
}

function at({ turn }: PlacedCall): string {
  return ` in turn ${turn + 1}`;
}

function patternText(pattern: ToolPattern): string {
  if (typeof pattern === "string") return pattern;
  return pattern.arguments === undefined ? pattern.name : `${pattern.name} with ${shown(pattern.arguments)}`;
}

/** The scores of an outcome: `outcome`, one per part, and the share of tool rules that hold. */
export function outcomeScores({
  outcome,
  toolRules: rules,
  undecided,
}: EvaluatedOutcome): Pick<ConversationJudgement, "scores" | "score_reasons" | "undecided_scores"> {
  const { value, parts } = outcome;
  const scores = [
    { name: "outcome", value: value, reason: outcomeReason(outcome) },
    ...parts.map(({ name, passed, reason }) => ({
      name: `outcome.${name}`,
      value: passed === null ? null : Number(passed),
      reason,
    })),
    ...(rules
      ? [
          {
            name: "tool_rules",
            value: rules.held / rules.rules,
            reason: `${rules.held} of ${rules.rules} tool rules hold`,
          },
        ]
      : []),
  ];
  return compact({
    scores: Object.fromEntries(scores.flatMap(({ name, value: score }) => (score === null ? [] : [[name, score]]))),
    score_reasons: Object.fromEntries(scores.map(({ name, reason }) => [name, reason])),
    undecided_scores: undecided.length > 0 ? [...undecided] : undefined,
  });
}

function outcomeReason({ value, parts }: ExpectationResult): string {
  if (value === 1) return `as expected: ${parts.map(({ name }) => name).join(", ")}`;
  const wrong = parts.filter(({ passed }) => passed === (value === 0 ? false : null));
  return wrong.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
}

const ruleNames = ["must_call", "must_not_call", "before", "max_calls"] as const;

export const hasToolRules = (expect: Expectation): boolean => ruleNames.some((name) => expect[name] !== undefined);

/** The names of the scores that an expectation gives its attempts. */
export function outcomeScoreNames(expect: Expectation): string[] {
  const parts = Object.entries(expect).flatMap(([name, part]) => (part === undefined ? [] : [`outcome.${name}`]));
  return ["outcome", "outcome.replies", ...parts, ...(hasToolRules(expect) ? ["tool_rules"] : [])];
}
