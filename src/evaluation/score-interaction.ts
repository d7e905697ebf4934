import type { StoredReply, StoredScores } from "../contract/schemas/interaction-result.ts";
import type { Interaction } from "../contract/schemas/scenario.ts";
import { scoringVersion, type Score } from "../contract/schemas/score.ts";
import { findConflicts } from "./conflicts/find-conflicts.ts";
import { addHelperUsage, isHelperUsage, noHelperUsage } from "./helper-usage.ts";
import type { JudgedTurn } from "./judges/judge-prompt.ts";
import type { JudgeQuestion } from "./judges/judge-question.ts";
import { judgeTurn, keptJudgement, type TurnJudgement } from "./judges/judge-replies.ts";
import { labelReply, unlabelledKeys } from "./labels/label-reply.ts";
import type { ModelLabels } from "./labels/model-labeller.ts";
import { referenceReplies } from "./reference-replies.ts";
import { runCustomScorer } from "./scorers/custom-scorer.ts";
import { brokenScore } from "./scorers/broken-score.ts";
import { builtInScorers, type ScorerName } from "./scorers/built-in-scorers.ts";
import type { NamedCheck } from "./scorers/create-checks.ts";
import { overall } from "./scorers/overall.ts";
import type { GivenScore, ScorerInput } from "./scorers/scorer.ts";
import { success } from "./scorers/success.ts";
import type { Scoring } from "./scoring.ts";
import { keptSemantic, semanticSimilarity, type SemanticScore } from "./semantic/semantic-scorer.ts";
import { prepareText, type PreparedText } from "./text/prepare-text.ts";

// An interaction is scored once per attempt, and its attempts follow each other closely: its references are prepared once.
// Long ones take far more memory than their text, and time that is little beside that of scoring them.
const preparedReferences = new Map<Interaction, readonly PreparedText[]>();
const keptReferences = 500;
const keptCharacters = 4_000;
const never = new AbortController().signal;

export interface ScoreInteractionOptions {
  readonly interaction: Interaction;
  readonly reply: StoredReply;
  /** From `createScoring` for the whole run. */
  readonly scoring: Scoring;
  /** The turns before this one, as they went: what a judge reads the reply against. */
  readonly before?: readonly JudgedTurn[];
  /** What models (judge, labeller, embedder) said when this reply was scored before; taken as it is, nobody is asked again. */
  readonly earlier?: StoredScores | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Labels and scores one reply: all that is stored about a turn beside what the model did. A failed reply has `success` 0 and
 * nothing else: its text is ours, not the model's.
 */
export async function scoreInteraction(options: ScoreInteractionOptions): Promise<StoredScores> {
  const { interaction, reply, scoring } = options;
  const answered = success(reply);
  if (reply.error) return assemble([answered], { generated_metadata: {}, label_sources: {} });

  const own = scoring.turnChecks(interaction.checks);
  const [given, semantic, judged] = await Promise.all([
    labelsOf(options),
    semanticOf(options),
    judgementOf(options, own.rubrics),
  ]);
  const texts = { reply: prepareText(reply.agent_reply), references: referencesOf(interaction) };
  const labels = await labelReply({ interaction, reply, texts, labeller: scoring.labeller, given });
  const input: ScorerInput = {
    ...texts,
    generated_metadata: labels.generated_metadata,
    reference_metadata: interaction.reference_metadata,
    unjudged_keys: labels.unjudged_keys,
    label_rules: scoring.label_rules,
    call: { latency_ms: reply.latency_ms, first_token_ms: reply.first_token_ms, cost: reply.cost ?? null },
  };
  const asked = [...scoring.checks, ...own.checks];
  const checks = await Promise.all(asked.map((named) => runCheck(named, input, options.signal)));
  const custom = await customOf(options, labels.generated_metadata);
  const compared = await comparedOf(options, input);
  const unknown = semantic || texts.references.length === 0 ? withoutSemantic(scoring.unknown) : scoring.unknown;
  const scores: readonly GivenScore[] = [
    ...compared,
    ...(semantic ? [semantic.score] : []),
    ...(judged?.scores ?? own.rubrics.map(withoutJudge)),
    ...checks,
    ...custom,
    ...unknown.map(unknownScore),
  ];
  const failed = scores.filter((score) => score.failed).map(({ name }) => name);
  const total = overall([answered, ...scores], {
    weights: scoring.weights,
    checks: [
      ...[...asked.filter(({ quality }) => quality), ...own.rubrics, ...scoring.custom].map(({ name }) => name),
      ...withoutSemantic(unknown),
    ],
  });
  const conflicts = findConflicts(input.reply, input.references);
  const warning = conflicts.map(({ message }) => message).join("; ");
  const told = scores.map((score) => withFailure(score, given?.failures));
  const warned = [answered, ...told, total].map((score) => withWarning(score, warning));
  const spent = addHelperUsage(addHelperUsage(noHelperUsage, given?.helper_usage), judged?.helper_usage);
  return {
    ...assemble(warned, labels),
    ...(failed.length > 0 && { failed_scores: failed }),
    ...(conflicts.length > 0 && { conflicts }),
    ...(semantic?.details && { semantic: semantic.details }),
    ...(judged && Object.keys(judged.judgements).length > 0 && { judgements: judged.judgements }),
    ...(isHelperUsage(spent) && { helper_usage: spent }),
    ...(options.earlier && keptOf(options.earlier, { semantic, judged, given })),
  };
}

/** Likeness of meaning is missed only where there is something to compare with, and no earlier word on it. */
function withoutSemantic(names: readonly string[]): readonly string[] {
  return names.filter((name) => name !== semanticSimilarity);
}

function unknownScore(name: string): GivenScore {
  const reason = "unscored: the process that scored this reply has no scorer of this name";
  return { name, value: null, reason, failed: true };
}

function withoutJudge({ name }: JudgeQuestion): Score {
  return { name, value: null, reason: "unscored: the run has no judge of single replies" };
}

/** What stays from the scoring before, and which scores rest on it. */
function keptOf(
  earlier: StoredScores,
  said: { semantic: SemanticScore | null; judged: TurnJudgement | null; given: ModelLabels | null },
): Pick<StoredScores, "helper_usage" | "kept_scores"> {
  const names = [
    ...(said.semantic ? [said.semantic.score.name] : []),
    ...(said.judged?.scores ?? []).map(({ name }) => name),
    ...[...(said.given?.labels?.keys() ?? [])].map((key) => `metadata.${key}`),
  ];
  return {
    ...(earlier.helper_usage && { helper_usage: earlier.helper_usage }),
    ...(names.length > 0 && { kept_scores: names }),
  };
}

async function runCheck({ name, check }: NamedCheck, input: ScorerInput, signal = never): Promise<GivenScore> {
  try {
    return { name, ...(await check(input, signal)) };
  } catch (error) {
    signal.throwIfAborted();
    return brokenScore(name, error);
  }
}

/** What the built-in scorers say. */
async function comparedOf(
  { reply, interaction, scoring }: ScoreInteractionOptions,
  input: ScorerInput,
): Promise<readonly GivenScore[]> {
  const run = (name: ScorerName): readonly GivenScore[] => {
    try {
      return builtInScorers[name](input);
    } catch (error) {
      return [brokenScore(name, error)];
    }
  };
  const scorers = scoring.scorers.filter((name) => name !== "metadata_match");
  const elsewhere = scoring.lexical?.({
    reply: reply.agent_reply,
    references: referenceReplies(interaction),
    scorers,
  });
  const compared = elsewhere
    ? await elsewhere.catch((error: unknown) => scorers.map((name) => brokenScore(name, error)))
    : scorers.flatMap(run);
  const labels = scoring.scorers.includes("metadata_match") ? run("metadata_match") : [];
  return [...compared, ...labels];
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
  if (earlier) return scoring.keepsSemantic === false ? null : keptSemantic(input, earlier);
  return scoring.semantic?.(input, signal) ?? null;
}

async function judgementOf(
  { interaction, reply, scoring, earlier, before = [], signal = never }: ScoreInteractionOptions,
  rubrics: readonly JudgeQuestion[],
): Promise<TurnJudgement | null> {
  if (!scoring.judge) return null;
  const { judge } = scoring.judge;
  const questions = [...scoring.judge.questions, ...rubrics];
  const references = referenceReplies(interaction);
  if (earlier) return keptJudgement(earlier.judgements ?? {}, { questions, references });
  const turn = { user_message: interaction.user_message, reply: reply.agent_reply, references };
  return judgeTurn(judge, { questions, turn, before, signal });
}

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

/** A contradiction is told beside the scores that cannot see it. */
function withWarning(score: Score, warning: string): Score {
  if (warning === "" || score.value === null || !warnedScores.has(score.name)) return score;
  return { ...score, reason: `${score.reason ?? ""}; warning: ${warning}` };
}

const ofLabel = "metadata.";

/** Beside the score of a label, what kept the labeller model from giving it. */
function withFailure(score: Score, failures: ModelLabels["failures"]): Score {
  const failure = score.name.startsWith(ofLabel) ? failures?.get(score.name.slice(ofLabel.length)) : undefined;
  return failure === undefined ? score : { ...score, reason: `${score.reason ?? ""}; ${failure}` };
}

function referencesOf(interaction: Interaction): readonly PreparedText[] {
  const known = preparedReferences.get(interaction);
  if (known) return known;
  const texts = referenceReplies(interaction);
  const prepared = texts.map(prepareText);
  if (texts.reduce((sum, text) => sum + text.length, 0) > keptCharacters) return prepared;
  preparedReferences.set(interaction, prepared);
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
