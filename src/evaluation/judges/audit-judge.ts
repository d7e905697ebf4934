import type { AuditItem, JudgeAudit } from "../../contract/schemas/judge-audit.ts";
import type { HelperUsage } from "../../contract/schemas/judge.ts";
import { addHelperUsage, isHelperUsage, noHelperUsage } from "../helper-usage.ts";
import { runInLanes } from "../run-in-lanes.ts";
import { correlation } from "../statistics/correlation.ts";
import { cohensKappa, kappaInterval } from "../statistics/kappa.ts";
import { askJudge, type Judge } from "./ask-judge.ts";
import { judgePair, type PairJudgement } from "./judge-pair.ts";
import { turnPrompt } from "./judge-prompt.ts";
import { auditRule, type JudgeQuestion } from "./judge-question.ts";

/** Pairs shown in both orders at most: the flip rate needs no more. */
const mostPairs = 50;
/** What a judge has to reach: "moderate" agreement beyond chance even at the low end, and readable answers. */
const lowestKappa = 0.4;
const mostUnreadable = 0.05;
/**
 * Fewer items pass nobody: kappa's interval rests on a large-sample formula, and full agreement, which leaves none, would not count. And
 * kappa rests on those that are not of the most frequent choice: a judge that sees one in four of them, whose true kappa is below 0.4, agrees
 * on everything in every tenth audit whose items have one or two.
 */
const { items: enoughItems, others: enoughOthers } = auditRule;

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
  /** One choice per repeat; null where the answer could not be read. */
  readonly choices: readonly (string | null)[];
  readonly pair: PairJudgement | null;
  readonly helper_usage: HelperUsage;
}

/** Measures a judge against people: agreement beyond chance, steadiness, and a liking for places or length. */
export async function auditJudge(options: AuditOptions): Promise<JudgeAudit> {
  const { items, signal, concurrency = 8 } = options;
  const audited: Audited[] = [];
  await runInLanes([...items.keys()], {
    lanes: concurrency,
    signal,
    run: (index, laneSignal) =>
      auditItem(items[index] as AuditItem, index < mostPairs, { ...options, signal: laneSignal }),
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
  const messages = turnPrompt(question, { turn: { user_message, reply, references }, before });
  const judged = [...before.map((turn) => turn.reply), reply];
  const single = { ...judge, votes: 1 };
  const choices: (string | null)[] = [];
  let spent = noHelperUsage;
  for (let repeat = 0; repeat < repeats; repeat++) {
    const asked = await askJudge(single, { messages, judged, choices: question.choices, signal });
    choices.push(asked.verdict.votes[0]?.choice ?? null);
    spent = addHelperUsage(spent, asked.helper_usage);
  }
  const comparable = withPair && reference_reply !== "" && reference_reply !== reply;
  const pair = comparable
    ? await judgePair(single, {
        pair: { user_message, left: reply, right: reference_reply, before: { left: before, right: before } },
        signal,
      })
    : null;
  return { item, choices, pair, helper_usage: addHelperUsage(spent, pair?.helper_usage) };
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
  const spent = audited.reduce((sum, { helper_usage }) => addHelperUsage(sum, helper_usage), noHelperUsage);
  const readable = audited.length > 0 && (audited.length - judged.length) / audited.length <= mostUnreadable;
  const usual = mostFrequent(judged.map(({ item }) => item.human));
  const isEnough = judged.length >= enoughItems && judged.length - usual >= enoughOthers;
  return {
    fingerprint,
    passed: readable && isEnough && lower !== null && lower >= lowestKappa,
    items: audited.length,
    judged: judged.length,
    kappa,
    ci_lower: interval?.lower ?? null,
    ci_upper: interval?.upper ?? null,
    agreement: judged.length === 0 ? null : right / judged.length,
    base_rate: judged.length === 0 ? null : usual / judged.length,
    confusion: Object.fromEntries([...counts].map(([human, cells]) => [human, Object.fromEntries(cells)])),
    self_consistency: consistency(audited),
    position_flip_rate: flipRate(audited),
    length_bias: lengthBias(audited, { judged, question }),
    notes: notesOn({ audited, judged: judged.length, usual, kappa, hasInterval: interval !== null, repeats }),
    ...(isHelperUsage(spent) && { helper_usage: spent }),
  };
}

/** How often people gave the choice that they gave most. */
function mostFrequent(humans: readonly string[]): number {
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

/** The judge's error (its value less the person's) against the length of the reply; and who won between texts a person found equal. */
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
  usual,
  kappa,
  hasInterval,
  repeats,
}: {
  audited: readonly Audited[];
  judged: number;
  usual: number;
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
  if (judged < enoughItems) notes.push(`Fewer than ${enoughItems} items were judged: too few to pass.`);
  if (judged >= enoughItems && judged - usual < enoughOthers) {
    notes.push(
      `Fewer than ${enoughOthers} items are of another choice than the most frequent one: too few to pass, and too few for the interval to be trusted.`,
    );
  }
  if (judged < 30) notes.push("Fewer than 30 items: the interval is wide and rests on a large-sample formula.");
  return notes;
}
