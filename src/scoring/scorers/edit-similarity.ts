import { editDistance } from "../text/sequence-distance.ts";
import { toCharacterPair } from "../text/symbols.ts";
import { defineScorer } from "./define-scorer.ts";
import { replyTooLong } from "./scorer.ts";

/** 1 - Levenshtein distance / length of the longer text, in code points of the normalized texts. */
export const editSimilarity = defineScorer({
  name: "edit_similarity",
  help: "few edits apart",
  needs: ["reference"],
  similarity: true,
  metric: true,
  replyRank: 7,
  compare: ({ reply, reference, references }) => {
    const longer = Math.max(reply.codePoints.length, reference.codePoints.length);
    if (longer === 0) return { value: 1, reason: "both are empty" };
    const over = `over ${longer} ${longer === 1 ? "character" : "characters"}`;
    if (reply.normalized === reference.normalized) return { value: 1, reason: `0 edits ${over}` };
    const lengths = { reply: reply.codePoints.length, reference: reference.codePoints.length, references };
    const tooLong = replyTooLong(lengths, "characters");
    if (tooLong) return tooLong;

    const edits = editDistance(toCharacterPair(reply.codePoints, reference.codePoints));
    return { value: 1 - edits / longer, reason: `${edits} ${edits === 1 ? "edit" : "edits"} ${over}` };
  },
});
