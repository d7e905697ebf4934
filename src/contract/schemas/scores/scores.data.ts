import { builtInScores, defaultScorers, namedScores } from "../../../scoring/scorers/scores.ts";

const toLabel = (name: string): string => name.replaceAll("_", " ");

/** The built-in scores: their names for people and the rules that depend on them. Plain data, so that the page can have it. */
export const scoreFacts = builtInScores.map(
  ({ name, label = toLabel(name), group, similarity, binary, judge, states, replyRank }) => ({
    name,
    label,
    group,
    similarity,
    binary,
    judge,
    states,
    replyRank,
  }),
);

/** The scores that a request may name. */
export const namedScoreFacts = namedScores.map(({ name, label = toLabel(name), help, needs }) => ({
  name,
  label,
  help,
  needs,
  byDefault: (defaultScorers as readonly string[]).includes(name),
}));
