import { compact } from "../../base/compact.ts";
import { checkClaims, type Claim } from "../grounding/claims.ts";
import { defineScorer } from "./define-scorer.ts";
import { quoteText, unseenCalls, type GivenScore, type ScorerInput } from "./scorer.ts";

const name = "claimed_actions";

/** Claims that the reason names. */
const shownClaims = 3;

/**
 * 1 when every action that the reply says was done ("I have refunded …") was done by a successful tool call, 0 when one was not or
 * failed. Without a value where the reply claims nothing, or where calls cannot be seen.
 */
export const claimedActions = defineScorer({
  name,
  label: "claimed actions",
  help: "what the reply says was done, was",
  byDefault: true,
  binary: true,
  needs: ["calls"],
  ofTurn: true,
  score: (input) => [score(input)],
});

function score({ reply, turn }: ScorerInput): GivenScore {
  if (!turn) return { name, value: null, reason: "unscored: the turn is not known" };
  const { earlier = [], tool_calls, tools = [], user_message } = turn;
  const earlierCalls = earlier.flatMap((each) => each.tool_calls ?? []);
  const claims = checkClaims({
    reply: reply.raw,
    calls: tool_calls,
    earlierCalls,
    tools: withCalled(tools, [...earlierCalls, ...tool_calls]),
    told: [
      user_message,
      ...earlier.map((each) => each.user_message),
      ...[...earlierCalls, ...tool_calls].flatMap(({ result, error }) => result ?? error ?? []),
    ],
  });
  if (claims.length === 0) return { name, value: null, reason: "the reply does not say that something was done" };
  if (turn.callsSeen === false) return { name, value: null, reason: unseenCalls };

  const wrong = claims.filter(({ held }) => held === false);
  const held = claims.filter((claim) => claim.held === true);
  if (wrong.length > 0) {
    return {
      name,
      value: 0,
      reason: describe(wrong),
      marks: wrong.map(({ start, end, reason }) => ({ start, end, reason })),
    };
  }
  if (held.length === 0) return { name, value: null, reason: `undecided: ${describe(claims)}` };
  return compact({ name, value: 1, reason: describe(held) });
}

function describe(claims: readonly Claim[]): string {
  const shown = claims.slice(0, shownClaims).map(({ text, reason }) => `${quoteText(text)}: ${reason}`);
  const more = claims.length - shown.length;
  return shown.join("; ") + (more > 0 ? ` and ${more} more` : "");
}

type Tools = readonly { readonly name: string; readonly description?: string | undefined }[];

const joined = new WeakMap<object, Map<string, Tools>>();

/** The declared tools and those that were called. The list is kept: what its tools do is read once. */
function withCalled(tools: Tools, calls: Tools): Tools {
  const others = [...new Set(calls.map((call) => call.name))].filter(
    (called) => !tools.some((tool) => tool.name === called),
  );
  if (others.length === 0) return tools;
  const key = others.join(" ");
  const known = joined.get(tools) ?? new Map<string, Tools>();
  joined.set(tools, known);
  const all = known.get(key) ?? [...tools, ...others.map((called) => ({ name: called }))];
  if (known.size < 100) known.set(key, all);
  return all;
}
