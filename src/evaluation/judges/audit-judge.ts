import { compact } from "../../base/compact.ts";
import type { AuditItem, JudgeAudit } from "../../contract/schemas/judge-audit.ts";
import type { HelperUsage } from "../../contract/schemas/shared/usage.ts";
import { addHelperUsage, hasHelperUsage, noHelperUsage } from "../helpers/helper-usage.ts";
import { runConcurrently } from "../helpers/run-concurrently.ts";
import { correlation } from "../statistics/descriptive.ts";
import { cohensKappa, kappaInterval } from "../statistics/kappa.ts";
import { askJudge, type Judge } from "./ask-judge.ts";
import { judgePair, type PairJudgement } from "./judge-pair.ts";
import { turnPrompt } from "./judge-prompt.ts";
import { auditRule, type JudgeQuestion } from "./judge-question.ts";

/** Pairs judged in both orders: enough for the flip rate. */
const maximumPairs = 50;
/** To pass, the lower bound of kappa must reach "moderate" agreement, and answers must be readable. */
const minimumKappa = 0.4;
const maximumUnreadable = 0.05;
/**
 * With fewer items no judge passes: kappa's interval is a large-sample formula, and kappa rests on the items outside the most
 * frequent choice. With only one or two of those, a judge that detects one in four (true kappa below 0.4) would agree on
 * everything in every tenth audit.
 */
const { items: minimumItems, others: minimumOthers } = auditRule;

export interface AuditOptions {
  readonly judge: Judge;
  readonly question: JudgeQuestion;
  readonly items: readonly AuditItem[];
  readonly repeats: number;
  readonly fingerprint: string;
  readonly signal: AbortSignal;
  readonly concurrency?: number;
}

interface Audited {
  readonly item: AuditItem;
  /** One choice per repeat; null when the answer was unreadable. */
  readonly choices: readonly (string | null)[];
  readonly pair: PairJudgement | null;
  readonly helper_usage: HelperUsage;
}

/** Measures a judge against people: agreement beyond chance, self-consistency, position bias and length bias. */
export async function auditJudge(options: AuditOptions): Promise<JudgeAudit> {
  const { items, signal, concurrency = 8 } = options;
  const audited: Audited[] = [];
  await runConcurrently([...items.keys()], {
    lanes: concurrency,
    signal,
    run: (index, itemSignal) =>
      auditItem(items[index] as AuditItem, index < maximumPairs, { ...options, signal: itemSignal }),
    keep: (index, result) => {
      audited[index] = result;
      return Promise.resolve(true);
    },
  });
  return toAudit(audited, options);
}

async function auditItem(
  item: AuditItem,
  withPair: boolean,
  { judge, question, repeats, signal }: AuditOptions,
): Promise<Audited> {
  const { conversation_before: before = [], user_message, reply, reference_reply = "" } = item;
  const references = reference_reply === "" ? [] : [reference_reply];
  const { messages } = turnPrompt(question, { turn: { user_message, reply, references }, before });
  const judged = [...before.map((turn) => turn.reply), reply];
  const single = { ...judge, votes: 1 };
  const choices: (string | null)[] = [];
  let helperUsage = noHelperUsage;
  for (let repeat = 0; repeat < repeats; repeat++) {
    const asked = await askJudge(single, { messages, judged, choices: question.choices, signal });
    choices.push(asked.verdict.votes[0]?.choice ?? null);
    helperUsage = addHelperUsage(helperUsage, asked.helper_usage);
  }
  const comparable = withPair && reference_reply !== "" && reference_reply !== reply;
  const pair = comparable
    ? await judgePair(single, {
        pair: { user_message, left: reply, right: reference_reply, before: { left: before, right: before } },
        signal,
      })
    : null;
  return { item, choices, pair, helper_usage: addHelperUsage(helperUsage, pair?.helper_usage) };
}

function toAudit(audited: readonly Audited[], { question, fingerprint, repeats }: AuditOptions): JudgeAudit {
  const judged = audited.flatMap(({ item, choices }) => {
    const [choice] = choices;
    return choice === null || choice === undefined ? [] : [{ item, choice }];
  });
  const counts = new Map<string, Map<string, number>>();
  for (const { item, choice } of judged) {
    const cells = counts.get(item.human) ?? new Map<string, number>();
    counts.set(item.human, cells.set(choice, (cells.get(choice) ?? 0) + 1));
  }
  const right = judged.filter(({ item, choice }) => item.human === choice).length;
  const kappa = cohensKappa(counts);
  const interval = kappaInterval(counts);
  const lower = interval?.lower ?? (kappa === 1 ? 1 : null);
  const helperUsage = audited.reduce((sum, { helper_usage }) => addHelperUsage(sum, helper_usage), noHelperUsage);
  const readable = audited.length > 0 && (audited.length - judged.length) / audited.length <= maximumUnreadable;
  const mostFrequent = countMostFrequent(judged.map(({ item }) => item.human));
  const hasEnoughItems = judged.length >= minimumItems && judged.length - mostFrequent >= minimumOthers;
  return compact({
    fingerprint,
    passed: readable && hasEnoughItems && lower !== null && lower >= minimumKappa,
    items: audited.length,
    judged: judged.length,
    kappa,
    ci_lower: interval?.lower ?? null,
    ci_upper: interval?.upper ?? null,
    agreement: judged.length === 0 ? null : right / judged.length,
    base_rate: judged.length === 0 ? null : mostFrequent / judged.length,
    confusion: Object.fromEntries([...counts].map(([human, cells]) => [human, Object.fromEntries(cells)])),
    self_consistency: consistency(audited),
    position_flip_rate: flipRate(audited),
    length_bias: lengthBias(audited, { judged, question }),
    notes: notesOn({ audited, judged: judged.length, mostFrequent, kappa, hasInterval: interval !== null, repeats }),
    helper_usage: hasHelperUsage(helperUsage) ? helperUsage : undefined,
  });
}

/** The number of items with the most frequent choice. */
function countMostFrequent(humans: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const human of humans) counts.set(human, (counts.get(human) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

function consistency(audited: readonly Audited[]): number | null {
  const repeated = audited
    .map(({ choices }) => choices.filter((choice) => choice !== null))
    .filter(({ length }) => length > 1);
  if (repeated.length === 0) return null;
  return repeated.filter((choices) => new Set(choices).size === 1).length / repeated.length;
}

function flipRate(audited: readonly Audited[]): number | null {
  const pairs = audited.flatMap(({ pair }) => (pair && pair.winner !== null ? [pair] : []));
  return pairs.length === 0 ? null : pairs.filter(({ flipped }) => flipped).length / pairs.length;
}

/** Correlates the judge's error with reply length, and counts wins of the longer text among replies that people found right. */
function lengthBias(
  audited: readonly Audited[],
  { judged, question }: { judged: readonly { item: AuditItem; choice: string }[]; question: JudgeQuestion },
): JudgeAudit["length_bias"] {
  const value = (choice: string) => question.choices[choice] ?? 0;
  const errors = judged.map(
    ({ item, choice }) => [Math.log1p(item.reply.length), value(choice) - value(item.human)] as const,
  );
  const equal = audited.flatMap(({ item, pair }) => {
    const decided = pair?.winner === "left" || pair?.winner === "right" ? pair.winner : null;
    const reference = item.reference_reply ?? "";
    if (!decided || value(item.human) < 1 || reference.length === item.reply.length) return [];
    return [(decided === "left") === item.reply.length > reference.length];
  });
  return {
    correlation: correlation(errors),
    pairs: equal.length,
    longer_wins: equal.length === 0 ? null : equal.filter(Boolean).length / equal.length,
  };
}

function notesOn({
  audited,
  judged,
  mostFrequent,
  kappa,
  hasInterval,
  repeats,
}: {
  audited: readonly Audited[];
  judged: number;
  mostFrequent: number;
  kappa: number | null;
  hasInterval: boolean;
  repeats: number;
}): string[] {
  const notes: string[] = [];
  if (judged < audited.length) notes.push(`${audited.length - judged} of ${audited.length} answers could not be read.`);
  if (kappa === null)
    notes.push("No kappa: people and judge used one choice only, so chance alone would always agree.");
  else if (!hasInterval) notes.push("No interval: the items leave no spread to go by.");
  if (repeats < 2) notes.push("No self-consistency: each item was judged once.");
  if (audited.every(({ pair }) => pair === null))
    notes.push("No position test: no item has a reference reply that differs from its reply.");
  if (judged < minimumItems) notes.push(`Fewer than ${minimumItems} items were judged: too few to pass.`);
  if (judged >= minimumItems && judged - mostFrequent < minimumOthers) {
    notes.push(
      `Fewer than ${minimumOthers} items are of another choice than the most frequent one: too few to pass, and too few for the interval to be trusted.`,
    );
  }
  if (judged < 30) notes.push("Fewer than 30 items: the interval is wide and rests on a large-sample formula.");
  return notes;
}
