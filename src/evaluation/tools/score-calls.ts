import { compact } from "../../base/compact.ts";
import type {
  RecordedToolCall,
  ReferenceToolCall,
  ToolComparison,
  ToolMatching,
} from "../../contract/schemas/acting/tool-call.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { World } from "../../contract/schemas/acting/world.ts";
import { unseenCalls, type GivenScore } from "../../scoring/scorers/scorer.ts";
import { matchCalls, type CallMatches, type CallPair } from "./match-calls.ts";
import type { MatchContext } from "./matchers.ts";
import { createProbes, type Probes, type ProbeSession, type ProbeSetting } from "./probes.ts";

/** The scores of a turn's tool calls. */
export const toolScores = ["tool_name_f1", "tool_arguments", "tool_order", "tool_match"] as const;

/** The tools of a turn, where they are known. */
export type TurnTools = Pick<World, "tools">;

export interface ScoreCallsOptions {
  readonly references: readonly ReferenceToolCall[];
  readonly calls: readonly RecordedToolCall[];
  readonly matching?: ToolMatching | undefined;
  readonly tools?: TurnTools | undefined;
  /** Which calls could be seen, when not all: none, or those of these tools. */
  readonly seen?: StoredReply["calls_seen"];
  /** Default: patterns and schemas are applied in place. */
  readonly probes?: Probes;
  readonly signal?: AbortSignal;
}

/**
 * Scores the tool calls of a turn against its reference calls.
 *
 * @example
 * ```ts
 * const references = [{ name: "cancel_order", arguments: { order_id: "1042" } }];
 * const calls = [{ id: "1", name: "cancel_order", arguments: { order_id: "1043" } }];
 * await scoreCalls({ references, calls }); // […, { name: "tool_match", value: 0, reason: 'cancel_order: order_id is "1043", …' }]
 * ```
 */
export async function scoreCalls(options: ScoreCallsOptions): Promise<GivenScore[]> {
  return (await compareCalls(options)).scores;
}

/** The scores of a turn's calls, and what is right and wrong about each call. */
export interface ComparedCalls {
  readonly scores: GivenScore[];
  /** Absent when there is nothing to say. */
  readonly comparison?: ToolComparison;
}

/** Without references there are no scores, but unknown tools and invalid arguments are found all the same. */
export async function compareCalls({
  probes = createProbes(),
  signal = new AbortController().signal,
  ...turn
}: Omit<ScoreCallsOptions, "references"> & Partial<Pick<ScoreCallsOptions, "references">>): Promise<ComparedCalls> {
  const { references, calls } = turn;
  const sent = (): TurnWithCalls => ({
    ...turn,
    calls: calls.map(({ result: _result, ...call }) => call),
    tools: turn.tools && { tools: turn.tools.tools.map(({ answers: _answers, ...tool }) => tool) },
  });
  const comparison = { kind: "calls", input: turn, sent, expected: references ?? calls, compare: compareTurn } as const;
  const compared = await probes.compare(comparison, signal);
  if (compared) return compared;
  return { scores: references ? unscoredCalls("takes too long to compare") : [] };
}

type TurnWithCalls = Omit<Parameters<typeof compareCalls>[0], "probes" | "signal">;

/** The scores of calls that could not be compared. */
function unscoredCalls(why: string): GivenScore[] {
  return toolScores.map((name) => ({ name, value: null, reason: `unscored: ${why}`, failed: true as const }));
}

/** Compares the calls of a turn with its references. */
export function compareTurn(
  { references, calls, matching = {}, tools, seen }: TurnWithCalls,
  session: ProbeSession,
): ComparedCalls {
  const problems = tools ? callProblems(calls, tools, session) : [];
  const found = problems.length > 0 ? { problems: problems.slice(0, mostListed) } : undefined;
  if (!references) return found ? { scores: [], comparison: found } : { scores: [] };
  if (!isVisible(references, { seen, tools })) return { scores: toolScores.map((name) => undecidedScore(name)) };
  const failures: string[] = [];
  const context = matchContext(matching, session, (reason) => failures.push(reason));
  const matches = matchCalls(references, calls, {
    extraArguments: matching.extra_arguments ?? "forbid",
    context,
  });
  const [failure] = failures;
  if (failure !== undefined) return compact({ scores: unscoredCalls(failure), comparison: found });
  const turn = {
    references,
    calls,
    matches,
    matching,
    notes: problemNotes(calls, problems),
    faults: faultsOf(references, matches),
  };
  const isExtraWrong = references.length === 0 || matching.extra === "forbid";
  return {
    scores:
      references.length === 0
        ? noneExpected(calls, turn.notes)
        : [nameScore(turn), argumentScore(turn), orderScore(turn), matchScore(turn)].map(withUnknownArguments(turn)),
    comparison: compact({
      pairs: matches.pairs.map(({ call, mismatches }) =>
        compact({
          call,
          wrong: mismatches.length > 0 ? mismatches.slice(0, mostListed) : undefined,
        }),
      ),
      unexpected: isExtraWrong && matches.extra.length > 0 ? matches.extra.slice(0, mostListed) : undefined,
      ...found,
    }),
  };
}

const undecidedScore = (name: string, reason = unseenCalls): GivenScore => ({
  name,
  value: null,
  reason,
  undecided: true,
});

/** True when calls of these tools would have been seen. */
export function isVisible(
  patterns: readonly (string | ReferenceToolCall)[],
  { seen, tools }: { seen: StoredReply["calls_seen"]; tools: TurnTools | undefined },
): boolean {
  if (seen === undefined) return true;
  if (seen !== "world") return false;
  const names = new Set(tools?.tools.map(({ name }) => name));
  return patterns.every((pattern) => names.has(typeof pattern === "string" ? pattern : pattern.name));
}

/** A call whose arguments are not known may be the expected one. */
function withUnknownArguments({ references, matches }: MatchedTurn): (score: GivenScore) => GivenScore {
  const names = references.flatMap(({ name }, index) => (matches.pairs[index]?.unknown ? [name] : []));
  if (names.length === 0) return (score) => score;
  const reason = `undecided: the arguments of ${countedNames(names)} are not known`;
  return (score) =>
    score.name === "tool_arguments" || (score.name === "tool_match" && score.value === 1)
      ? undecidedScore(score.name, reason)
      : score;
}

/** Items of one list of a comparison: it is stored with every turn. */
const mostListed = 100;

/** The context of comparisons under these rules. */
export function matchContext(
  { text = "exact" }: ToolMatching,
  probes: Pick<ProbeSession, "ask" | "count">,
  onFailure: (reason: string) => void,
): MatchContext {
  return { text, probes, onFailure };
}

/** An empty list of references expects no call, even where extra calls are allowed. Nothing is there to compare or to order. */
function noneExpected(calls: readonly RecordedToolCall[], notes: readonly string[]): GivenScore[] {
  const value = calls.length === 0 ? 1 : 0;
  const what = value === 1 ? "no call expected, none made" : `no call expected, but ${calledNames(calls)} called`;
  const reason = sentence([what, ...notes]);
  const nothing = "no call expected";
  return [
    { name: "tool_name_f1", value, reason: what },
    { name: "tool_arguments", value: null, reason: nothing },
    { name: "tool_order", value: null, reason: nothing },
    { name: "tool_match", value, reason },
  ];
}

/** A turn whose calls are assigned to its references, with everything that several scores say about it. */
interface MatchedTurn {
  readonly references: readonly ReferenceToolCall[];
  readonly calls: readonly RecordedToolCall[];
  readonly matches: CallMatches;
  readonly matching: ToolMatching;
  readonly notes: readonly string[];
  readonly faults: Faults;
}

/** Wrong arguments and missing calls, in words. */
interface Faults {
  readonly wrong: readonly string[];
  readonly missing: readonly string[];
}

function faultsOf(references: readonly ReferenceToolCall[], { pairs }: CallMatches): Faults {
  const wrong: string[] = [];
  const notCalled: string[] = [];
  for (const [index, { name }] of references.entries()) {
    const { call, mismatches } = pairs[index] as CallPair;
    if (call === null) notCalled.push(name);
    if (mismatches.length > 0) wrong.push(`${name}: ${few(mismatches.map(({ reason }) => reason)).join(", ")}`);
  }
  return { wrong, missing: notCalled.length === 0 ? [] : [`not called: ${countedNames(notCalled)}`] };
}

/** F1 of the called tools, each as often as both have it. */
function nameScore({ references, calls, matches, faults }: MatchedTurn): GivenScore {
  const found = matches.pairs.filter(({ call }) => call !== null).length;
  const value = (2 * found) / (references.length + calls.length);
  const reason = sentence([
    `${found} of ${references.length} expected calls made, ${calls.length} in total`,
    ...faults.missing,
    ...unexpected(calls, matches),
  ]);
  return { name: "tool_name_f1", value, reason };
}

/** Mean share of right arguments over the references; a call that was not made counts 0. */
function argumentScore({ references, matches, faults: { wrong, missing }, notes }: MatchedTurn): GivenScore {
  const value = matches.pairs.reduce((sum, pair) => sum + pair.value, 0) / references.length;
  const isRight = wrong.length === 0 && missing.length === 0;
  const reason = sentence(isRight ? ["all arguments are right", ...notes] : [...wrong, ...missing, ...notes]);
  return { name: "tool_arguments", value: Math.min(1, value), reason };
}

/** The share of references that were met in their order. */
function orderScore({ references, matches: { pairs, inOrder }, matching: { order = "any" } }: MatchedTurn): GivenScore {
  const late = inOrder < references.length ? outOfOrder(references, pairs) : null;
  const reason = sentence([
    `${inOrder} of ${references.length} expected calls in order`,
    ...(late === null ? [] : [late]),
    ...(order === "any" ? ["any order is right"] : []),
  ]);
  return { name: "tool_order", value: inOrder / references.length, reason };
}

/** 1 when every reference was met, and nothing else that the rules forbid happened. */
function matchScore({ references, calls, matches, matching, faults, notes }: MatchedTurn): GivenScore {
  const { order = "any", extra = "allow" } = matching;
  const problems = [...faults.wrong, ...faults.missing, ...(extra === "forbid" ? unexpected(calls, matches) : [])];
  if (problems.length === 0 && order === "strict" && matches.inOrder < references.length) {
    problems.push(outOfOrder(references, matches.pairs) ?? "not in the expected order");
  }
  const value = problems.length === 0 ? 1 : 0;
  const right =
    references.length === 1 ? "the expected call was made" : `all ${references.length} expected calls were made`;
  return { name: "tool_match", value, reason: sentence([...(value === 1 ? [right] : problems), ...notes]) };
}

function unexpected(calls: readonly RecordedToolCall[], { extra }: CallMatches): string[] {
  return extra.length === 0 ? [] : [`not expected: ${countedNames(extra.map((index) => calls[index]!.name))}`];
}

/** The first call that came before one that is expected earlier. */
function outOfOrder(references: readonly ReferenceToolCall[], pairs: readonly CallPair[]): string | null {
  let last = -1;
  let lastName = "";
  for (const [index, { call }] of pairs.entries()) {
    if (call === null) continue;
    const { name } = references[index]!;
    if (call < last) return `${name} was called before ${lastName}`;
    last = call;
    lastName = name;
  }
  return null;
}

type CalledTools = TurnTools["tools"];

const schemas = new WeakMap<CalledTools, ReadonlyMap<string, ProbeSetting>>();

/** The schema of each tool, by name. Cached, because every turn of a run has the same tools. */
function schemasOf(tools: CalledTools): ReadonlyMap<string, ProbeSetting> {
  const known = schemas.get(tools);
  if (known) return known;
  const byName = new Map(
    tools.map(({ name, parameters }) => [name, { type: "json_schema" as const, schema: parameters }]),
  );
  schemas.set(tools, byName);
  return byName;
}

type CallProblems = NonNullable<ToolComparison["problems"]>;

/** Calls of tools that do not exist, and arguments that do not fit the schema of their tool. */
function callProblems(calls: readonly RecordedToolCall[], { tools }: TurnTools, session: ProbeSession): CallProblems {
  const byName = schemasOf(tools);
  return calls.flatMap(({ name, arguments: given, arguments_error, arguments_unknown }, call): CallProblems => {
    const setting = byName.get(name);
    if (!setting) return [{ call, kind: "unknown_tool", reason: "there is no tool of this name" }];
    if (arguments_error !== undefined || arguments_unknown) return [];
    const answer = session.ask(setting, given ?? {});
    if (answer?.value !== 0) return [];
    return [{ call, kind: "invalid_arguments", reason: answer.reason.replace(/^the reply/, "the object") }];
  });
}

function problemNotes(calls: readonly RecordedToolCall[], problems: CallProblems): string[] {
  if (problems.length === 0) return [];
  const named = problems.map((problem) => ({ ...problem, name: calls[problem.call]!.name }));
  const unknown = named.filter(({ kind }) => kind === "unknown_tool").map(({ name }) => name);
  const invalid = named
    .filter(({ kind }) => kind === "invalid_arguments")
    .map(({ name, reason }) => `invalid arguments of ${name}: ${reason}`);
  return [...(unknown.length > 0 ? [`unknown tools: ${countedNames(unknown)}`] : []), ...few([...new Set(invalid)])];
}

function calledNames(calls: readonly RecordedToolCall[]): string {
  const names = new Set(calls.map(({ name }) => name));
  return `${countedNames(calls.map(({ name }) => name))} ${names.size === 1 ? "was" : "were"}`;
}

/** Names in order of appearance, with their number: `get_order (2 times), cancel_order`. */
function countedNames(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return few([...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`))).join(", ");
}

const mostShown = 5;

function few(items: readonly string[]): readonly string[] {
  return items.length <= mostShown ? items : [...items.slice(0, mostShown), `${items.length - mostShown} more`];
}

function sentence(parts: readonly string[]): string {
  return few(parts).join("; ");
}
