import { compact } from "../../base/compact.ts";
import type { ConversationJudgement, JudgeVerdict } from "../../contract/schemas/judging/judge.ts";
import type { HelperUsage } from "../../contract/schemas/shared/usage.ts";
import type { Score } from "../../contract/schemas/scores/score.ts";
import { addHelperUsage, noHelperUsage } from "../helpers/helper-usage.ts";
import type { GivenScore } from "../../scoring/scorers/scorer.ts";
import type { JudgeNeed } from "../../scoring/judges/define-judge.ts";
import { askJudge, askTogether, describeVerdict, type Judge } from "./ask-judge.ts";
import { quotedMaterial, type QuotedMaterial } from "./evidence.ts";
import { answeredTurns, type JudgedSetting, type JudgedTurn } from "./judge-material.ts";
import { conversationPrompt, turnPrompt, type JudgePrompt } from "./judge-prompt.ts";
import type { JudgeQuestion } from "./judge-question.ts";

/** A judge's scores and verdicts on one reply. */
export interface TurnJudgement {
  readonly scores: readonly GivenScore[];
  readonly judgements: Readonly<Record<string, JudgeVerdict>>;
  readonly helper_usage: HelperUsage;
}

/** Judges one reply by each of the questions. */
export async function judgeTurn(
  judge: Judge,
  {
    questions,
    turn,
    before,
    setting,
    signal,
  }: {
    questions: readonly JudgeQuestion[];
    turn: JudgedTurn;
    before: readonly JudgedTurn[];
    setting?: JudgedSetting | undefined;
    signal: AbortSignal;
  },
): Promise<TurnJudgement> {
  const { asked, unasked } = splitQuestions(questions, { turn, before, setting });
  const turns = [...before, turn];
  const judged = await askAll(judge, asked, {
    signal,
    judged: materialTexts(turns),
    quotes: quotedMaterial(turns, setting),
    promptOf: (question) => turnPrompt(question, { turn, before, setting }),
  });
  return { ...judged, scores: [...unasked, ...scoresOf(judged.judgements, questions, "judge_rubrics")] };
}

/** Rebuilds the scores from stored verdicts, with the current audit state of the judge. */
export function judgementFromStored(
  earlier: Readonly<Record<string, JudgeVerdict>>,
  { questions, references }: { questions: readonly JudgeQuestion[]; references: readonly string[] },
): TurnJudgement {
  // A question that was not asked has no verdict, whatever it needs.
  const { asked, unasked } = splitQuestions(questions, {
    turn: { user_message: "", reply: "", references },
    before: [],
    kept: earlier,
  });
  const auditStates = new Map(questions.map(({ name, audited }) => [name, audited]));
  const judgements = Object.fromEntries(
    Object.entries(earlier).map(([name, stored]): [string, JudgeVerdict] => [
      name,
      { ...stored, judge_audited: auditStates.get(name) ?? stored.judge_audited },
    ]),
  );
  const verdicts = Object.fromEntries(asked.map(({ name }) => [name, judgements[name] ?? missingVerdict]));
  return {
    scores: [...unasked, ...scoresOf(verdicts, questions, "judge_rubrics")],
    judgements,
    helper_usage: noHelperUsage,
  };
}

const missingVerdict: JudgeVerdict = { value: null, verdict: null, votes: [], agreement: null, judge_audited: false };

interface AskedTurn {
  readonly turn: JudgedTurn;
  readonly before: readonly JudgedTurn[];
  readonly setting?: JudgedSetting | undefined;
  /** Stored verdicts: a ready-made question without one was not asked. */
  readonly kept?: Readonly<Record<string, JudgeVerdict>>;
}

function splitQuestions(
  questions: readonly JudgeQuestion[],
  about: AskedTurn,
): { asked: readonly JudgeQuestion[]; unasked: readonly Score[] } {
  const lacking = new Map(
    questions.map((question) => [question, lackOf(question, about)] as const).filter(([, lack]) => lack !== null),
  );
  return {
    asked: questions.filter((question) => !lacking.has(question)),
    unasked: [...lacking].map(([{ name }, lack]): Score => ({ name, value: null, reason: lack ?? "" })),
  };
}

/** What a turn lacks to be asked about; null if nothing. */
function lackOf(
  { name, needsReference, needs = [] }: JudgeQuestion,
  { turn, before, setting = {}, kept }: AskedTurn,
): string | null {
  if (needsReference && (turn.references ?? []).length === 0) return "no reference reply";
  if (kept)
    return needs.length > 0 && !Object.hasOwn(kept, name)
      ? "the judge was not asked: the turn lacked what it needs"
      : null;
  const turns = [...before, turn];
  const has: Readonly<Record<JudgeNeed, boolean>> = {
    reference: true,
    context: turns.some(
      ({ context = [], tool_calls = [] }) =>
        context.length > 0 || tool_calls.some(({ result }) => result !== undefined),
    ),
    calls: turns.some(({ tool_calls = [] }) => tool_calls.length > 0),
    tools: (setting.tools ?? []).length > 0 || (turn.tool_calls ?? []).length > 0,
    system: (setting.systemPrompt ?? "") !== "" || (setting.policy ?? "") !== "",
    earlier: turns.length > 1,
  };
  const missing = needs.find((need) => !has[need]);
  return missing === undefined ? null : missingWords[missing];
}

const missingWords: Readonly<Record<JudgeNeed, string>> = {
  reference: "no reference reply",
  context: "no retrieved passages and no results of tools",
  calls: "no tool calls",
  tools: "no tools are offered and none was called",
  system: "no system prompt and no policy",
  earlier: "the conversation has one turn",
};

/** Judges a whole conversation by each of the questions. A conversation without replies is not judged. */
export async function judgeConversation(
  judge: Judge,
  {
    questions: all,
    turns,
    setting,
    signal,
  }: {
    questions: readonly JudgeQuestion[];
    turns: readonly JudgedTurn[];
    setting?: JudgedSetting | undefined;
    signal: AbortSignal;
  },
): Promise<ConversationJudgement> {
  if (answeredTurns(turns).length === 0) {
    const reasons = all.map(({ name }) => [name, "unscored: no turn got a reply"]);
    return { scores: {}, score_reasons: Object.fromEntries(reasons), judgements: {} };
  }
  const last = turns.at(-1) ?? { user_message: "", reply: "" };
  const { asked: questions, unasked } = splitQuestions(all, { turn: last, before: turns.slice(0, -1), setting });
  const { judgements, helper_usage } = await askAll(judge, questions, {
    signal,
    judged: materialTexts(turns),
    quotes: quotedMaterial(turns, setting),
    promptOf: (question) => conversationPrompt(question, turns, setting),
  });
  const scores = [...unasked, ...scoresOf(judgements, questions, "conversation_rubrics")];
  return {
    scores: Object.fromEntries(scores.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]))),
    score_reasons: Object.fromEntries(
      scores.flatMap(({ name, reason }) => (reason === undefined ? [] : [[name, reason]])),
    ),
    judgements,
    helper_usage,
  };
}

/** Longer texts hold no answer of a judge. */
const longestAnswer = 100_000;

/** The texts that others wrote: an answer that is copied from one of them is no verdict. */
function materialTexts(turns: readonly JudgedTurn[]): string[] {
  return turns
    .flatMap(({ reply, tool_calls = [], context = [] }) => [
      reply ?? "",
      ...tool_calls.flatMap(({ result }) => (typeof result === "string" ? result : [])),
      ...context.map(({ text }) => text),
    ])
    .filter((text) => text.length <= longestAnswer);
}

/** Questions that are asked in one call: more make answers worse. */
const mostTogether = 5;

interface Asking {
  readonly promptOf: (question: JudgeQuestion | readonly JudgeQuestion[]) => JudgePrompt;
  readonly judged: readonly string[];
  readonly quotes: QuotedMaterial;
  readonly signal: AbortSignal;
}

async function askAll(
  judge: Judge,
  questions: readonly JudgeQuestion[],
  asking: Asking,
): Promise<Omit<TurnJudgement, "scores"> & { judgements: Record<string, JudgeVerdict> }> {
  const ready = questions.filter(({ isReady }) => isReady);
  const groups = Array.from({ length: Math.ceil(ready.length / mostTogether) }, (_, index) =>
    ready.slice(index * mostTogether, (index + 1) * mostTogether),
  );
  const answers = await Promise.all([
    ...questions.filter(({ isReady }) => !isReady).map((question) => askSingle(judge, question, asking)),
    ...groups.map((group) => askGroup(judge, group, asking)),
  ]);
  const verdicts = new Map(answers.flatMap(({ verdicts: own }) => [...own]));
  return {
    // In the order of the questions.
    judgements: Object.fromEntries(
      questions.flatMap(({ name }) => (verdicts.has(name) ? [[name, verdicts.get(name)]] : [])),
    ) as Record<string, JudgeVerdict>,
    helper_usage: answers.reduce((sum, answer) => addHelperUsage(sum, answer.helper_usage), noHelperUsage),
  };
}

interface Answers {
  readonly verdicts: ReadonlyMap<string, JudgeVerdict>;
  readonly helper_usage: HelperUsage;
}

async function askSingle(
  judge: Judge,
  question: JudgeQuestion,
  { promptOf, quotes, ...asking }: Asking,
): Promise<Answers> {
  const { verdict, helper_usage } = await askJudge(
    { ...judge, audited: question.audited ?? judge.audited },
    { ...promptOf(question), ...asking, choices: question.choices, quotes: question.quotes ? quotes : undefined },
  );
  return { verdicts: new Map([[question.name, verdict]]), helper_usage };
}

/** Several ready-made judges in one call: most of its tokens are the material. Equal content is not asked about twice in a run. */
function askGroup(judge: Judge, group: readonly JudgeQuestion[], asking: Asking): Promise<Answers> {
  const prompt = asking.promptOf(group.length === 1 ? (group[0] as JudgeQuestion) : group);
  return askOnceFor(judge, prompt, () =>
    group.length === 1
      ? askSingle(judge, group[0] as JudgeQuestion, asking)
      : askTogether(judge, { ...prompt, ...asking, questions: group }),
  );
}

const askedPrompts = new WeakMap<Judge["model"], Map<string, Promise<Answers>>>();
const keptPrompts = 500;

/** The answers to a prompt that this run has asked already cost nothing. A failed one is asked again. */
async function askOnceFor(judge: Judge, { messages }: JudgePrompt, ask: () => Promise<Answers>): Promise<Answers> {
  const known = askedPrompts.get(judge.model) ?? new Map<string, Promise<Answers>>();
  askedPrompts.set(judge.model, known);
  const key = await textHash(JSON.stringify([messages, judge.votes]));
  const earlier = known.get(key);
  if (earlier) return { ...(await earlier), helper_usage: noHelperUsage };
  const asked = ask();
  known.set(key, asked);
  const oldest = known.keys().next();
  if (known.size > keptPrompts && !oldest.done) known.delete(oldest.value);
  try {
    const answers = await asked;
    if (answers.verdicts.values().some(({ value }) => value === null)) known.delete(key);
    return answers;
  } catch (error) {
    known.delete(key);
    throw error;
  }
}

async function textHash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const isRubric = (name: string): boolean => name.startsWith("judge.") || name.startsWith("conversation.");

/** One score per verdict and, for rubrics, their weighted mean. */
function scoresOf(
  judgements: Readonly<Record<string, JudgeVerdict>>,
  questions: readonly JudgeQuestion[],
  total: "judge_rubrics" | "conversation_rubrics",
): GivenScore[] {
  const known = questions.flatMap((question) => {
    const verdict = judgements[question.name];
    return verdict ? [{ question, verdict }] : [];
  });
  const scores = known.map(({ question, verdict }): GivenScore =>
    compact({
      name: question.name,
      value: verdict.value,
      reason: describeVerdict(verdict),
      failed: verdict.value === null || undefined,
    }),
  );
  const rubrics = known.filter(({ question }) => isRubric(question.name));
  return rubrics.length === 0 ? scores : [...scores, weightedJudgement(rubrics, total)];
}

function weightedJudgement(
  rubrics: readonly { question: JudgeQuestion; verdict: JudgeVerdict }[],
  name: string,
): GivenScore {
  const missing = rubrics.filter(({ question, verdict }) => question.weight > 0 && verdict.value === null);
  if (missing.length > 0) {
    const names = missing.map(({ question }) => question.name).join(", ");
    return { name, value: null, reason: `no verdict on ${names}`, failed: true };
  }
  const total = rubrics.reduce((sum, { question }) => sum + question.weight, 0);
  if (total === 0) return { name, value: null, reason: "all rubrics weigh 0" };
  const value = rubrics.reduce((sum, { question, verdict }) => sum + question.weight * (verdict.value ?? 0), 0) / total;
  return {
    name,
    value: Math.min(1, value),
    reason: rubrics.length === 1 ? "one rubric" : `weighted mean of ${rubrics.length} rubrics`,
  };
}
