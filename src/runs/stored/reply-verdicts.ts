import { compact } from "../../base/compact.ts";
import type { RunRecord, Store, VerdictRecord } from "../../contract/ports/store.ts";
import type { ReviewQuestion, TurnVerdict } from "../../contract/schemas/judging/human-verdict.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { namedRubrics } from "../../contract/schemas/scores/score-names.ts";
import { hashText } from "../../base/hash.ts";
import { judgeQuestions, rubricValue, turnQuestion } from "../../evaluation/judges/judge-question.ts";
import { rubricQuestion, rubricScore } from "../../evaluation/outcomes/judge-outcome.ts";

/** The verdict of people on one reply: the adjudicated one, else the most frequent. */
export interface ReplyVerdict {
  readonly scenario_index: number;
  readonly attempt: number;
  readonly turn_index: number;
  readonly question: string;
  /** Null when several choices are equally frequent; `value` is then their mean. */
  readonly choice: string | null;
  readonly value: number;
  readonly raters: number;
  /** True when people differ, whether or not it was adjudicated. */
  readonly differs: boolean;
  readonly adjudicated: boolean;
  /** True when the reply was chosen at random, so that its verdict says something about replies without one. */
  readonly sampled: boolean;
  readonly verdicts: readonly VerdictRecord[];
}

interface VerdictFilter {
  readonly question?: string | undefined;
  /** The other run of a pair. Default: verdicts on single replies. */
  readonly against?: string | undefined;
}

/** People's verdicts of a run, one per reply and question. */
export async function readReplyVerdicts(
  store: Store,
  runId: string,
  { question, against = "" }: VerdictFilter = {},
): Promise<readonly ReplyVerdict[]> {
  const records = await store.verdicts.ofRun(runId);
  return toReplyVerdicts(
    records.filter((record) => record.against === against && (question === undefined || record.question === question)),
  );
}

export function toReplyVerdicts(records: readonly VerdictRecord[]): readonly ReplyVerdict[] {
  const groups = new Map<string, VerdictRecord[]>();
  for (const record of records) {
    const key = `${replyKey(record)} ${record.question}`;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(record);
  }
  return [...groups.values()].map(decideVerdict);
}

/** Identifies a reply within its run. */
export const replyKey = (reply: Pick<VerdictRecord, "scenario_index" | "attempt" | "turn_index">): string =>
  `${reply.scenario_index} ${reply.attempt} ${reply.turn_index}`;

function decideVerdict(group: readonly VerdictRecord[]): ReplyVerdict {
  const { scenario_index, attempt, turn_index, question } = group[0] as VerdictRecord;
  const adjudication = group.find((record) => record.adjudication);
  const given = group.filter((record) => !record.adjudication);
  const counts = new Map<string, { count: number; value: number }>();
  for (const { choice, value } of adjudication ? [adjudication] : given)
    counts.set(choice, { count: (counts.get(choice)?.count ?? 0) + 1, value });
  const most = Math.max(...[...counts.values()].map(({ count }) => count));
  const leading = [...counts].filter(([, { count }]) => count === most);
  return {
    scenario_index,
    attempt,
    turn_index,
    question,
    choice: leading.length === 1 ? (leading[0]?.[0] ?? null) : null,
    value: leading.reduce((sum, [, { value }]) => sum + value, 0) / leading.length,
    raters: given.length,
    differs: new Set(given.map(({ choice }) => choice)).size > 1,
    adjudicated: adjudication !== undefined,
    sampled: group.some(({ sampling }) => isSampled(sampling)),
    verdicts: given,
  };
}

/** A verdict as clients see it, without its place. */
export function toTurnVerdict({
  question,
  against,
  rater,
  choice,
  value,
  comment,
  sampling,
  adjudication,
  given_at,
}: VerdictRecord): TurnVerdict {
  return compact({
    question,
    against: against || undefined,
    rater,
    choice,
    value,
    comment: comment ?? undefined,
    sampling,
    adjudication: adjudication || undefined,
    given_at: new Date(given_at).toISOString(),
  });
}

/** Replies that a person picked, or that were offered because of a disagreement, are not typical of the others. */
export const isSampled = (sampling: VerdictRecord["sampling"]): boolean =>
  sampling === "random" || sampling === "stratified";

/** A question as it is asked about one reply. */
interface ReplyQuestion extends Pick<ReviewQuestion, "text" | "choices"> {
  /** Identifies the text and the choices: an answer to another question does not correct the judge. */
  readonly asked: string;
  /** The score for the value of an answer, as the run scores the judge's. */
  readonly toScore: (value: number) => number;
}

/** A question that people can answer about a run's replies. */
export interface AskedQuestion extends ReviewQuestion, ReplyQuestion {
  /** Skips turns without a reference, as the judge does. */
  readonly needsReference: boolean;
  /** The question of each turn that is asked about, if turns or scenarios have their own. */
  readonly turns?: ReadonlyMap<string, ReplyQuestion>;
}

type TurnPlace = Pick<VerdictRecord, "scenario_index" | "turn_index">;

const turnKey = ({ scenario_index, turn_index }: TurnPlace): string => `${scenario_index} ${turn_index}`;

/** The question as it is asked about one turn. Undefined when it is not. */
export const questionAt = (question: AskedQuestion, place: TurnPlace): ReplyQuestion | undefined =>
  question.turns ? question.turns.get(turnKey(place)) : question;

/** The score that people's verdict on a reply stands for. */
export const verdictScore = (question: AskedQuestion, { value, ...place }: TurnPlace & { value: number }): number =>
  questionAt(question, place)?.toScore(value) ?? value;

export const reviewQuestionName = "review";
export const preferenceName = "preference";

/** More differently named rubrics have too few replies each to be corrected. */
const mostRubrics = 50;

/** The questions of a run: those of its judge, the rubrics of its turns and scenarios, and one about the quality in general. */
export function questionsOfRun(
  { settings }: Pick<RunRecord, "settings">,
  scenarios: readonly Scenario[],
): readonly AskedQuestion[] {
  const scope = settings.judge?.scope ?? "turn";
  const judged = settings.judge ? judgeQuestions(settings.judge) : [];
  const general = turnQuestion(reviewQuestionName, { text: "Is this a good reply?" });
  return [
    ...judged.map((question) => toAsked(question, { scope, judged: true })),
    ...(settings.judge && scope === "turn" ? turnRubricQuestions(scenarios, settings) : []),
    ...(settings.judge ? outcomeQuestion(scenarios) : []),
    toAsked(general, { scope: "turn", judged: false }),
  ];
}

type NamedTurn = TurnPlace & ReplyQuestion & { readonly name: string };

function turnRubricQuestions(
  scenarios: readonly Scenario[],
  { scorers = [] }: RunRecord["settings"],
): readonly AskedQuestion[] {
  const turns = scenarios.flatMap(({ interactions }, scenario_index) =>
    interactions.flatMap(({ checks = [] }, turn_index) =>
      namedRubrics(checks, scorers ?? []).map(({ name, rubric }): NamedTurn => {
        const { text, choices } = turnQuestion(name, rubric);
        const toScore = (value: number) => rubricValue(rubric, value);
        return { name, scenario_index, turn_index, text, choices, asked: askedHash({ text, choices }), toScore };
      }),
    ),
  );
  return [...Map.groupBy(turns, ({ name }) => name).values()]
    .slice(0, mostRubrics)
    .map((group) => joinTurns(group, "turn"));
}

/** A conversation stands under the last turn of its scenario, also if a simulated user ended it before. */
function outcomeQuestion(scenarios: readonly Scenario[]): readonly AskedQuestion[] {
  const turns = scenarios.flatMap(({ expect, interactions }, scenario_index): NamedTurn[] => {
    if (expect?.rubric === undefined) return [];
    const { text, choices } = rubricQuestion(expect.rubric);
    const place = { name: rubricScore, scenario_index, turn_index: interactions.length - 1 };
    return [{ ...place, text, choices, asked: askedHash({ text, choices }), toScore: Number }];
  });
  return turns.length === 0 ? [] : [joinTurns(turns, "conversation")];
}

function joinTurns(group: readonly NamedTurn[], scope: AskedQuestion["scope"]): AskedQuestion {
  const { name = "", text = "" } = group[0] ?? {};
  return {
    name,
    text: group.every((turn) => turn.text === text) ? text : "Each reply has a question of its own.",
    choices: Object.assign({}, ...group.map(({ choices }) => choices)),
    scope,
    judged: true,
    varies: true,
    needsReference: false,
    asked: "varies",
    toScore: Number,
    turns: new Map(group.map((turn) => [turnKey(turn), turn])),
  };
}

/** The question which of two runs' replies is better. */
export const preferenceQuestion: AskedQuestion = toAsked(
  {
    name: preferenceName,
    text: "Which reply is better?",
    choices: { candidate: 1, tie: 0.5, baseline: 0 },
    needsReference: false,
  },
  { scope: "pair", judged: false },
);

function toAsked(
  { name, text, choices, needsReference }: Pick<AskedQuestion, "name" | "text" | "choices" | "needsReference">,
  { scope, judged }: Pick<AskedQuestion, "scope" | "judged">,
): AskedQuestion {
  return { name, text, choices, scope, judged, needsReference, asked: askedHash({ text, choices }), toScore: Number };
}

function askedHash({ text, choices }: Pick<ReplyQuestion, "text" | "choices">): string {
  return hashText(JSON.stringify([text, Object.entries(choices)])).toString(16);
}

/** The question as clients see it. */
export function toReviewQuestion({ name, text, choices, scope, judged, varies }: AskedQuestion): ReviewQuestion {
  return compact({ name, text, choices, scope, judged, varies });
}
