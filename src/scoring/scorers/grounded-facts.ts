import { compact } from "../../base/compact.ts";
import { truncateText } from "../../base/text.ts";
import { dateOfConversation, groundReply, type UngroundedFact } from "../grounding/ground.ts";
import { factsOf, type Source } from "../grounding/sources.ts";
import { defineScorer } from "./define-scorer.ts";
import { quoteText, type GivenScore, type ScorerInput, type SeenCall, type TurnFacts } from "./scorer.ts";

const name = "grounded_facts";

/** Facts that the reason names. */
const shownFacts = 3;
/** Facts that are marked in the reply. */
const markedFacts = 50;

/**
 * The share of a reply's facts (numbers, amounts, dates, times, ids, addresses, quoted names) that a source has: a tool call or its
 * result, what users said, the system prompt, retrieved passages, a reference. Without a value where the reply has no fact, or where
 * nothing but the user could have told it one.
 */
export const groundedFacts = defineScorer({
  name,
  label: "grounded facts",
  help: "facts of the reply that a source has",
  byDefault: true,
  needs: ["sources"],
  ofTurn: true,
  score: (input) => [score(input)],
});

function score(input: ScorerInput): GivenScore {
  const { reply, turn } = input;
  if (!turn) return { name, value: null, reason: "unscored: the turn is not known" };
  const { sources, ofTurn, earlierReplies, hasSource } = sourcesOf(input, turn);
  if (!hasSource) {
    return { name, value: null, reason: "no source: no tool call, passage, reference or system prompt with a fact" };
  }
  const today = dateOfConversation(turn.today, turn.system);
  const found = groundReply({ reply: reply.raw, sources, ofTurn, earlierReplies, today });
  if (found.facts === 0) return { name, value: null, reason: "the reply has no fact to look for" };

  const { facts, ungrounded } = found;
  const grounded = facts - ungrounded.length;
  const all = `${grounded} of ${facts} ${facts === 1 ? "fact has" : "facts have"} a source`;
  return compact({
    name,
    value: grounded / facts,
    reason: ungrounded.length === 0 ? all : `${all}; not: ${describe(ungrounded)}`,
    marks: ungrounded.length === 0 ? undefined : ungrounded.slice(0, markedFacts).map(toMark),
  });
}

function describe(ungrounded: readonly UngroundedFact[]): string {
  const shown = ungrounded.slice(0, shownFacts).map((fact) => `${quoteText(fact.text)} (${nearest(fact)})`);
  const more = ungrounded.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const nearest = ({ nearest: found }: UngroundedFact): string =>
  found ? `nearest: ${quoteText(found.text)} in ${found.source}` : "nothing like it in any source";

const toMark = (fact: UngroundedFact) => ({
  start: fact.start,
  end: fact.end,
  reason: `no source; ${nearest(fact)}`,
});

interface TurnSources {
  readonly sources: readonly Source[];
  readonly ofTurn: readonly Source[];
  readonly earlierReplies: readonly string[];
  /** True when more than the user's words could have told a fact. */
  readonly hasSource: boolean;
}

function sourcesOf({ references }: ScorerInput, turn: TurnFacts): TurnSources {
  const { system = "", earlier = [], tool_calls, context = [], user_message, prompt } = turn;
  const number = earlier.length + 1;
  const given: Source[] = [
    ...(system === "" ? [] : [{ name: "the system prompt", value: system }]),
    ...references.map(({ raw }, index) => ({
      name: references.length > 1 ? `reference ${index + 1}` : "the reference",
      value: raw,
    })),
  ];
  const before = earlier.flatMap((each, index) => [
    { name: `the user's message of turn ${index + 1}`, value: each.user_message, isSaid: true },
    ...callSources(each.tool_calls ?? [], ` in turn ${index + 1}`),
    ...passageSources(each.context ?? [], ` of turn ${index + 1}`),
  ]);
  const message = [...new Set([user_message, prompt])].map((value) => ({
    name: `the user's message of turn ${number}`,
    value,
    isSaid: true,
  }));
  const told = [...callSources(tool_calls, ""), ...passageSources(context, "")];
  const hasContext = context.length > 0 || earlier.some((each) => (each.context ?? []).length > 0);
  const calls = [...tool_calls, ...earlier.flatMap((each) => each.tool_calls ?? [])];
  return {
    sources: [...given, ...before],
    ofTurn: [...message, ...told],
    earlierReplies: earlier.flatMap(({ reply }) => reply ?? []),
    hasSource:
      calls.length > 0 || hasContext || given.some(({ value }) => factsOf(value).facts.some(({ fact }) => !fact.minor)),
  };
}

function callSources(calls: readonly SeenCall[], where: string): Source[] {
  return calls.flatMap((call) => [
    { name: `the arguments of ${call.name}${where}`, value: call.arguments },
    ...(call.result === undefined ? [] : [{ name: `the result of ${call.name}${where}`, value: call.result }]),
    ...(call.error === undefined ? [] : [{ name: `the error of ${call.name}${where}`, value: call.error }]),
  ]);
}

function passageSources(passages: NonNullable<TurnFacts["context"]>, where: string): Source[] {
  return passages.map(({ text, id, source }, index) => {
    const title = source ?? id;
    return {
      name: `passage ${index + 1}${title === undefined ? "" : ` (${truncateText(title, 80)})`}${where}`,
      value: text,
    };
  });
}
