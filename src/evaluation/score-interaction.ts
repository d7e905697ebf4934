import { compact } from "../base/compact.ts";
import type { StoredReply, StoredScores } from "../contract/schemas/interaction-result.ts";
import type { Interaction, Scenario } from "../contract/schemas/scenario.ts";
import { scoringVersion, type Score } from "../contract/schemas/scores/score.ts";
import { addHelperUsage, hasHelperUsage, noHelperUsage } from "./helpers/helper-usage.ts";
import { findConflicts } from "./conflicts/find-conflicts.ts";
import { shortList } from "../base/format.ts";
import { referenceReplies } from "./conversation/conversation.ts";
import { contextOf } from "./conversation/turn-context.ts";
import type { JudgedSetting, JudgedTurn } from "./judges/judge-material.ts";
import { rubricValue } from "./judges/judge-question.ts";
import { judgementFromStored, judgeTurn, type TurnJudgement } from "./judges/judge-replies.ts";
import { labelReply, unlabelledKeys } from "./labels/label-reply.ts";
import type { ModelLabels } from "./labels/model-labeller.ts";
import { builtInScorers, success, turnScorers, type LexicalTask, type ScorerName } from "../scoring/scorers/scores.ts";
import { negated } from "../scoring/checks/define-check.ts";
import { type CheckGroup, type NamedCheck, type TurnRubric } from "./checks/create-checks.ts";
import { resultOfThrown, transformedInput } from "../scoring/checks/user-code.ts";
import { runCustomScorer } from "./scorers/custom-scorer.ts";
import { overall } from "../scoring/scorers/overall.ts";
import {
  failedScore,
  type GivenScore,
  type ReplyMark,
  type ScorerInput,
  type TurnFacts,
} from "../scoring/scorers/scorer.ts";
import { semanticSimilarity, type SemanticScore } from "../scoring/scorers/semantic-similarity.ts";
import { semanticFromStored } from "./scorers/semantic-similarity.ts";
import type { Scoring } from "./scoring.ts";
import { statedOf } from "./statements.ts";
import { prepareText, type PreparedText } from "../scoring/text/prepare-text.ts";
import { compareCalls, toolScores, type ComparedCalls } from "./tools/score-calls.ts";

// The attempts of an interaction follow each other closely, so its prepared references are cached. Long ones are not: they take
// far more memory than their text, and preparing them is quick compared with scoring. The key is their text: the interaction
// itself would be kept with its messages, which may be long, after its run has ended.
const preparedReferences = new Map<string, readonly PreparedText[]>();
const keptReferences = 500;
const keptCharacters = 4_000;
const never = new AbortController().signal;

export interface ScoreInteractionOptions {
  readonly interaction: Interaction;
  readonly reply: StoredReply;
  /** The scenario of the turn: its rules for tool calls, and its tools. Default: those of the run. */
  readonly scenario?: Pick<Scenario, "tool_matching" | "world" | "metadata"> | undefined;
  /** The system prompt of the conversation. */
  readonly systemPrompt?: string | undefined;
  /** From `createScoring` for the whole run. */
  readonly scoring: Scoring;
  /** The turns before this one, shown to the judge. */
  readonly before?: readonly JudgedTurn[];
  /** Stored scores of this reply: verdicts, labels and similarities are reused, and no model is called. */
  readonly earlier?: StoredScores | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Labels and scores one reply: labels, scores, checks, conflicts and verdicts together. A failed reply has only `success` 0,
 * since its text is not the model's.
 */
export async function scoreInteraction(options: ScoreInteractionOptions): Promise<StoredScores> {
  const { interaction, reply, scoring } = options;
  const replied = success(reply);
  if (reply.error) return assemble([replied], { generated_metadata: {}, label_sources: {} });

  const turnChecks = scoring.turnChecks(interaction.checks);
  const [given, semantic, judged] = await Promise.all([
    labelsOf(options),
    semanticOf(options),
    judgementOf(options, turnChecks.rubrics),
  ]);
  const texts = { reply: prepareText(reply.agent_reply), references: referencesOf(interaction) };
  const labels = await labelReply({ interaction, reply, texts, labeller: scoring.labeller, given });
  const input: ScorerInput = {
    ...texts,
    generated_metadata: labels.generated_metadata,
    reference_metadata: interaction.reference_metadata,
    unjudged_keys: labels.unjudged_keys,
    label_rules: scoring.label_rules,
    ...checkedTurn(options),
  };
  const namedChecks = [...scoring.checks, ...turnChecks.checks];
  const checks = await Promise.all(
    namedChecks.map((named) => keptCheck(named, options.earlier) ?? runCheck(named, input, options.signal)),
  );
  const rubricScores = judged?.scores ?? turnChecks.rubrics.map(withoutJudge);
  const adjusted = rubricScores.map((score) => adjustedRubric(score, turnChecks.rubrics));
  const groups = turnChecks.groups.map((group) => groupScore(group, [...adjusted, ...checks]));
  const custom = await customOf(options, labels.generated_metadata);
  const compared = await comparedOf(options, input);
  const calls = await comparedCalls(options);
  const unknown = semantic || texts.references.length === 0 ? withoutSemantic(scoring.unknown) : scoring.unknown;
  const scores: readonly GivenScore[] = [
    ...compared,
    ...(semantic ? [semantic.score] : []),
    ...adjusted,
    ...calls.scores.map((score) => withWrittenCall(score, reply)),
    ...checks,
    ...groups,
    ...custom,
    ...unknown.map(unknownScore),
  ];
  const failed = scores.filter((score) => score.failed).map(({ name }) => name);
  const open = scores.filter((score) => score.undecided).map(({ name }) => name);
  const rubrics = turnChecks.rubrics.map(({ question, weight }) => ({ name: question.name, weight }));
  const counted = [...namedChecks.filter(({ quality }) => quality), ...rubrics, ...turnChecks.groups].filter(
    ({ weight }) => weight > 0,
  );
  const total = overall([replied, ...scores], {
    weights: scoring.weights,
    checks: [...[...counted, ...scoring.custom].map(({ name }) => name), ...withoutSemantic(unknown)],
    checkWeights: new Map(counted.map(({ name, weight }) => [name, weight])),
  });
  const isOpen = total.value === null && open.length > 0 && failed.length === 0;
  const undecided = isOpen ? ["overall", ...open] : open;
  const conflicts = findConflicts(input.reply, input.references);
  const warning = conflicts.map(({ message }) => message).join("; ");
  const explained = scores.map((score) => withFailure(score, given?.failures));
  const warned = [replied, ...explained, total].map((score) => withWarning(score, warning));
  const spent = addHelperUsage(addHelperUsage(noHelperUsage, given?.helper_usage), judged?.helper_usage);
  return compact({
    ...assemble(warned, labels),
    stated: statedOf({ interaction, scores, label_sources: labels.label_sources, scoring }),
    failed_scores: failed.length > 0 ? failed : undefined,
    undecided_scores: undecided.length > 0 ? undecided : undefined,
    conflicts: conflicts.length > 0 ? conflicts : undefined,
    marks: marksOf(scores),
    semantic: semantic?.details,
    judgements: judged && Object.keys(judged.judgements).length > 0 ? judged.judgements : undefined,
    helper_usage: hasHelperUsage(spent) ? spent : undefined,
    tool_comparison: calls.comparison,
    ...(options.earlier && keptFields(options.earlier, { semantic, judged, given })),
  });
}

function marksOf(scores: readonly GivenScore[]): StoredScores["marks"] {
  const marked = scores.flatMap(({ name, marks }): [string, ReplyMark[]][] => (marks ? [[name, [...marks]]] : []));
  return marked.length > 0 ? Object.fromEntries(marked) : undefined;
}

function withoutSemantic(names: readonly string[]): readonly string[] {
  return names.filter((name) => name !== semanticSimilarity.name);
}

function unknownScore(name: string): GivenScore {
  const reason = "unscored: the process that scored this reply has no scorer of this name";
  return { name, value: null, reason, failed: true };
}

function withoutJudge({ question: { name } }: TurnRubric): Score {
  return {
    name,
    value: null,
    reason: "unscored: no judge scored single replies in this run; add one and score it again",
  };
}

/** The parts of the turn that checks see besides its texts. */
function checkedTurn({
  interaction,
  reply,
  scenario,
  scoring,
  before = [],
  systemPrompt,
}: ScoreInteractionOptions): Pick<ScorerInput, "call" | "turn"> {
  const { id, user_message, prompt = user_message } = interaction;
  const { tool_calls = [], calls_seen: seen, finish_reason, latency_ms, first_token_ms, cost = null } = reply;
  const tools = (scenario?.world ?? scoring.world)?.tools;
  return {
    call: { latency_ms, first_token_ms, cost },
    turn: compact({
      interaction_id: id,
      user_message,
      prompt,
      tool_calls,
      finish_reason,
      tools,
      callsSeen: seen === "none" ? false : undefined,
      system: systemPrompt,
      context: contextOf(interaction, reply),
      earlier: before,
      today: dateKeys.map((key) => scenario?.metadata?.[key]).find((date) => date !== undefined),
    }),
  };
}

/** What a judge is shown of the whole conversation. */
export function judgedSetting({
  scenario,
  scoring,
  systemPrompt,
}: Pick<ScoreInteractionOptions, "scenario" | "systemPrompt"> & {
  scoring: Pick<Scoring, "world" | "judgeCharacters">;
}): JudgedSetting {
  const policy = scenario?.metadata?.["policy"];
  return compact({
    systemPrompt,
    tools: (scenario?.world ?? scoring.world)?.tools,
    policy: typeof policy === "string" ? policy : undefined,
    maxCharacters: scoring.judgeCharacters,
  });
}

/** Where the metadata of a scenario say on which day it takes place. */
const dateKeys = ["date", "today", "now", "current_date", "current_time"] as const;

/** The earlier score of a check that asks a model, when no model may be called. */
function keptCheck({ name, asksModel }: NamedCheck, earlier: StoredScores | undefined): GivenScore | null {
  if (!earlier || !asksModel) return null;
  const { [name]: value = null } = earlier.scores;
  const { [name]: reason } = earlier.score_reasons;
  return compact({ name, value, reason });
}

/** Applies threshold and negation of a turn's rubric to its verdict. */
function adjustedRubric(score: GivenScore, rubrics: readonly TurnRubric[]): GivenScore {
  const setting = rubrics.find(({ question }) => question.name === score.name)?.setting;
  if (!setting || score.value === null) return score;
  const given = {
    ...score,
    reason: score.reason ?? "",
    value: rubricValue({ ...setting, negate: false }, score.value),
  };
  return setting.negate ? negated(given) : given;
}

/** The weighted mean of a group's scores. Without one of them it has no value: another mean would not be comparable. */
function groupScore({ name, members, threshold }: CheckGroup, scores: readonly GivenScore[]): GivenScore {
  const counted = members.filter(({ weight }) => weight > 0);
  const found = counted.map((member) => ({ ...member, score: scores.find((score) => score.name === member.name) }));
  const missing = found.find(({ score }) => score?.value === null || score?.value === undefined);
  if (missing) {
    const reason = `${missing.name} has no value: ${missing.score?.reason ?? "it was not scored"}`;
    const { failed, undecided } = missing.score ?? {};
    return compact({ name, value: null, reason, failed: failed || undefined, undecided: undecided || undefined });
  }
  const total = counted.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return { name, value: null, reason: "all of its checks weigh 0" };
  const value = found.reduce((sum, { weight, score }) => sum + weight * (score?.value ?? 0), 0) / total;
  const failing = found.flatMap((member) => ((member.score?.value ?? 0) < 1 ? member.name : []));
  const detail = `${value.toFixed(2)} of ${found.length} checks${failing.length > 0 ? `; below 1: ${shortList(failing)}` : ""}`;
  if (threshold === undefined) return { name, value, reason: detail };
  return value >= threshold
    ? { name, value: 1, reason: detail }
    : { name, value: 0, reason: `${detail}, at least ${threshold} asked` };
}

/** The usage of the earlier scoring, and the names of the scores taken from it. */
function keptFields(
  earlier: StoredScores,
  kept: { semantic: SemanticScore | null; judged: TurnJudgement | null; given: ModelLabels | null },
): Pick<StoredScores, "helper_usage" | "kept_scores"> {
  const names = [
    ...(kept.semantic ? [kept.semantic.score.name] : []),
    ...(kept.judged?.scores ?? []).map(({ name }) => name),
    ...[...(kept.given?.labels?.keys() ?? [])].map((key) => `metadata.${key}`),
  ];
  return compact({
    helper_usage: earlier.helper_usage,
    kept_scores: names.length > 0 ? names : undefined,
  });
}

async function runCheck({ name, check }: NamedCheck, input: ScorerInput, signal = never): Promise<GivenScore> {
  try {
    return { name, ...(await check(input, signal)) };
  } catch (error) {
    signal.throwIfAborted();
    return failedScore(name, error);
  }
}

/** Runs the built-in scorers, on another thread for long texts. */
async function comparedOf(
  { reply, interaction, scoring }: ScoreInteractionOptions,
  input: ScorerInput,
): Promise<readonly GivenScore[]> {
  const run = (name: ScorerName): readonly GivenScore[] => {
    try {
      return builtInScorers[name](input);
    } catch (error) {
      return [failedScore(name, error)];
    }
  };
  const named = scoring.scorers.filter((name) => name !== "metadata_match");
  const task = { reply: reply.agent_reply, references: referenceReplies(interaction) };
  const runTask = async (
    scorers: readonly ScorerName[],
    turn?: LexicalTask["turn"],
  ): Promise<readonly GivenScore[]> => {
    const offloaded = scorers.length === 0 ? null : scoring.lexical?.(compact({ ...task, scorers, turn }));
    return offloaded
      ? await offloaded.catch((error: unknown) => scorers.map((name) => failedScore(name, error)))
      : scorers.flatMap(run);
  };
  const scoreTurn = async (scorers: readonly ScorerName[], facts: TurnFacts | undefined) => {
    const characters = facts ? turnCharacters(facts) : 0;
    if (characters <= maxTurnCharacters) return runTask(scorers, facts && { facts, characters });
    const reason = `too long to read: ${characters} characters of calls, passages and instructions`;
    return scorers.map((name): GivenScore => ({ name, value: null, reason }));
  };
  const ofTexts = await runTask(named.filter((name) => !turnScorers.has(name)));
  const ofTurn = await scoreTurn(
    named.filter((name) => turnScorers.has(name)),
    input.turn,
  );
  const labels = scoring.scorers.includes("metadata_match") ? run("metadata_match") : [];
  return [...ofTexts, ...labels, ...ofTurn];
}

/** Ten seconds of work. */
const maxTurnCharacters = 20_000_000;

const counted = new WeakMap<object, number>();

/** The characters that scorers of a turn read. */
function turnCharacters({ system = "", context = [], earlier = [], tool_calls }: TurnFacts): number {
  const ofCalls = (calls: TurnFacts["tool_calls"]): number => {
    const known = counted.get(calls) ?? JSON.stringify(calls).length;
    counted.set(calls, known);
    return known;
  };
  const ofPassages = (passages: NonNullable<TurnFacts["context"]>): number =>
    passages.reduce((sum, { text }) => sum + text.length, 0);
  return earlier.reduce(
    (sum, turn) => sum + ofCalls(turn.tool_calls ?? noCalls) + ofPassages(turn.context ?? []),
    system.length + ofCalls(tool_calls) + ofPassages(context),
  );
}

const noCalls: TurnFacts["tool_calls"] = [];

/** Scores of tool calls, for turns that expect some, or none. */
async function comparedCalls(options: ScoreInteractionOptions): Promise<ComparedCalls> {
  const { interaction, reply, scoring, scenario, signal = never } = options;
  const { reference_tool_calls: references } = interaction;
  const { tool_calls: calls = [], calls_seen: seen } = reply;
  if (!references && calls.length === 0) return { scores: [] };
  try {
    return await compareCalls(
      compact({
        references,
        calls,
        seen,
        matching: { ...scoring.tool_matching, ...scenario?.tool_matching },
        tools: scenario?.world ?? scoring.world,
        probes: scoring.probes,
        signal,
      }),
    );
  } catch (error) {
    signal.throwIfAborted();
    return { scores: references ? toolScores.map((name) => failedScore(name, error)) : [] };
  }
}

async function labelsOf({
  interaction,
  reply,
  scoring,
  earlier,
  signal = never,
}: ScoreInteractionOptions): Promise<ModelLabels | null> {
  if (!scoring.modelLabeller) return null;
  if (earlier) return keptLabels(earlier);
  const expected = unlabelledKeys(interaction, reply);
  return scoring.modelLabeller({ user_message: interaction.user_message, reply: reply.agent_reply, expected }, signal);
}

function keptLabels({ generated_metadata, label_sources }: StoredScores): ModelLabels | null {
  const kept = Object.entries(label_sources).filter(([, { source }]) => source === "labeller");
  if (kept.length === 0) return null;
  const labels = new Map(
    kept.flatMap(([key]) => (generated_metadata[key] === undefined ? [] : [[key, generated_metadata[key]]])),
  );
  return { labels, method: kept[0]?.[1].method ?? "labeller model", helper_usage: noHelperUsage };
}

async function semanticOf({
  interaction,
  reply,
  scoring,
  earlier,
  signal = never,
}: ScoreInteractionOptions): Promise<SemanticScore | null> {
  const input = { reply: reply.agent_reply, references: referenceReplies(interaction) };
  if (earlier) return scoring.keepsSemantic === false ? null : semanticFromStored(input, earlier);
  return scoring.semantic?.(input, signal) ?? null;
}

async function judgementOf(
  {
    interaction,
    reply,
    scoring,
    scenario,
    earlier,
    before = [],
    systemPrompt,
    signal = never,
  }: ScoreInteractionOptions,
  rubrics: readonly TurnRubric[],
): Promise<TurnJudgement | null> {
  if (!scoring.judge) return null;
  const { judge } = scoring.judge;
  const references = referenceReplies(interaction);
  const ofRubrics = rubrics.map(({ question }) => question);
  if (earlier) {
    const questions = [...scoring.judge.questions, ...ofRubrics];
    return judgementFromStored(earlier.judgements ?? {}, { questions, references });
  }
  const context = contextOf(interaction, reply);
  const turn = compact({
    user_message: interaction.user_message,
    reply: reply.agent_reply,
    references,
    tool_calls: reply.tool_calls,
    context: context.length > 0 ? context : undefined,
  });
  const setting = judgedSetting({ scenario, scoring, systemPrompt });
  const asked = rubrics.filter(({ setting }) => !setting.transform).map(({ question }) => question);
  const whole = judgeTurn(judge, { questions: [...scoring.judge.questions, ...asked], turn, before, setting, signal });
  const others = rubrics.flatMap(({ question, setting: { transform } }) =>
    transform ? [{ question, transform }] : [],
  );
  if (others.length === 0) return whole;
  const input: ScorerInput = {
    reply: prepareText(reply.agent_reply),
    references: referencesOf(interaction),
    generated_metadata: {},
    reference_metadata: interaction.reference_metadata,
    unjudged_keys: new Set(),
    ...checkedTurn({ interaction, reply, scoring, scenario, before, systemPrompt }),
  };
  const judgedOthers = others.map(async ({ question, transform }): Promise<TurnJudgement> => {
    try {
      const given = await transformedInput(input, { transform, code: scoring.code, signal });
      if ("thrown" in given) {
        const score = { name: question.name, ...resultOfThrown(given) };
        return { scores: [score], judgements: {}, helper_usage: noHelperUsage };
      }
      return await judgeTurn(judge, {
        questions: [question],
        turn: { ...turn, reply: given.reply.raw },
        before,
        setting,
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      return { scores: [failedScore(question.name, error)], judgements: {}, helper_usage: noHelperUsage };
    }
  });
  return (await Promise.all([whole, ...judgedOthers])).reduce(joinedJudgements);
}

const joinedJudgements = (left: TurnJudgement, right: TurnJudgement): TurnJudgement => ({
  scores: [...left.scores, ...right.scores],
  judgements: { ...left.judgements, ...right.judgements },
  helper_usage: addHelperUsage(left.helper_usage, right.helper_usage),
});

function customOf(
  { interaction, reply, scoring, signal = never }: ScoreInteractionOptions,
  generated_metadata: StoredScores["generated_metadata"],
): Promise<GivenScore[]> {
  const input = {
    user_message: interaction.user_message,
    reply: reply.agent_reply,
    references: referenceReplies(interaction),
    reference_metadata: interaction.reference_metadata,
    generated_metadata,
    interaction_id: interaction.id,
  };
  return Promise.all(scoring.custom.map((custom) => runCustomScorer({ ...custom, input, signal })));
}

const warnedScores = new Set(["overall", "semantic_similarity"]);

/** Adds contradictions to the reasons of scores that cannot detect them. */
function withWarning(score: Score, warning: string): Score {
  if (warning === "" || score.value === null || !warnedScores.has(score.name)) return score;
  return { ...score, reason: `${score.reason ?? ""}; warning: ${warning}` };
}

/** Says why a call that the reader of the reply sees was not counted. */
function withWrittenCall(score: GivenScore, { written_call: name }: StoredReply): GivenScore {
  if (name === undefined || score.name !== "tool_match") return score;
  const note = `the reply looks like a call of ${name} written as text: tool_support: prompted reads such calls`;
  return { ...score, reason: `${score.reason ?? ""}; ${note}` };
}

const labelPrefix = "metadata.";

/** Adds the labeller's failure to the reason of a label's score. */
function withFailure(score: Score, failures: ModelLabels["failures"]): Score {
  const failure = score.name.startsWith(labelPrefix) ? failures?.get(score.name.slice(labelPrefix.length)) : undefined;
  return failure === undefined ? score : { ...score, reason: `${score.reason ?? ""}; ${failure}` };
}

function referencesOf(interaction: Interaction): readonly PreparedText[] {
  const texts = referenceReplies(interaction);
  if (texts.reduce((sum, text) => sum + text.length, 0) > keptCharacters) return texts.map(prepareText);
  const key = JSON.stringify(texts);
  const known = preparedReferences.get(key);
  if (known) return known;
  const prepared = texts.map(prepareText);
  preparedReferences.set(key, prepared);
  const oldest = preparedReferences.keys().next();
  if (preparedReferences.size > keptReferences && !oldest.done) preparedReferences.delete(oldest.value);
  return prepared;
}

function assemble(
  scores: readonly Score[],
  labels: Pick<StoredScores, "generated_metadata" | "label_sources">,
): StoredScores {
  const values = new Map<string, number>();
  const reasons = new Map<string, string>();
  for (const { name, value, reason } of scores) {
    if (value !== null) values.set(name, value);
    if (reason !== undefined) reasons.set(name, reason);
  }
  return {
    generated_metadata: labels.generated_metadata,
    label_sources: labels.label_sources,
    scores: Object.fromEntries(values),
    score_reasons: Object.fromEntries(reasons),
    scoring_version: scoringVersion,
  };
}
