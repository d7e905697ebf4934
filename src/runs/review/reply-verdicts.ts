import type { RunRecord, Store, VerdictRecord } from "../../contract/ports/store.ts";
import type { ReviewQuestion } from "../../contract/schemas/judging/human-verdict.ts";
import { hashText } from "../../base/hash.ts";
import { judgeQuestions, turnQuestion } from "../../evaluation/judges/judge-question.ts";

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
  return [...groups.values()].map(decide);
}

/** Identifies a reply within its run. */
export const replyKey = (reply: Pick<VerdictRecord, "scenario_index" | "attempt" | "turn_index">): string =>
  `${reply.scenario_index} ${reply.attempt} ${reply.turn_index}`;

function decide(group: readonly VerdictRecord[]): ReplyVerdict {
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

/** Replies that a person picked, or that were offered because of a disagreement, are not typical of the others. */
export const isSampled = (sampling: VerdictRecord["sampling"]): boolean =>
  sampling === "random" || sampling === "stratified";

/** A question that people can answer about a run's replies. */
export interface AskedQuestion extends ReviewQuestion {
  /** Skips turns without a reference, as the judge does. */
  readonly needsReference: boolean;
  /** Identifies the text and the choices: an answer to another question does not correct the judge. */
  readonly asked: string;
}

export const reviewQuestionName = "review";
export const preferenceName = "preference";

/** The questions of a run: those of its judge, and one about the quality in general. */
export function questionsOfRun({ settings }: Pick<RunRecord, "settings">): readonly AskedQuestion[] {
  const scope = settings.judge?.scope ?? "turn";
  const judged = settings.judge ? judgeQuestions(settings.judge) : [];
  const general = turnQuestion(reviewQuestionName, { text: "Is this a good reply?" });
  return [
    ...judged.map((question) => toAsked(question, { scope, judged: true })),
    toAsked(general, { scope: "turn", judged: false }),
  ];
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
  const asked = hashText(JSON.stringify([text, Object.entries(choices)])).toString(16);
  return { name, text, choices, scope, judged, needsReference, asked };
}

/** The question as clients see it. */
export function toReviewQuestion({ name, text, choices, scope, judged }: AskedQuestion): ReviewQuestion {
  return { name, text, choices, scope, judged };
}
