import { diffArrays } from "diff";

/** A part of the text that both have, only the reference (`removed`), or only the reply (`added`). */
export interface DiffPart {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** A word or punctuation mark, and the white space before it. */
interface Word {
  readonly gap: string;
  readonly word: string;
}

/** Scripts without spaces between words need a segmenter. */
const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/**
 * The word diff from reference to reply; null when they differ in more than `maxEditLength` words, as long unrelated texts
 * do. The time grows with its square: about 100 ms for 1,000.
 */
export function wordDiff(reference: string, reply: string, maxEditLength = 1000): DiffPart[] | null {
  const split = withoutSpaces.test(reference + reply) ? segments : plainWords;
  const [before, after] = [toWords(split(reference)), toWords(split(reply))];
  // Spaces are not compared: otherwise they would be the best match between two different texts.
  const changes = diffArrays(before, after, { maxEditLength, comparator: (left, right) => left.word === right.word });
  if (!changes) return null;
  const parts: DiffPart[] = [];
  let [left, right] = [0, 0];
  for (const { count, added, removed } of changes) {
    if (removed) parts.push({ kind: "removed", text: textOf(before.slice(left, left + count)) });
    else if (added) parts.push({ kind: "added", text: textOf(after.slice(right, right + count)) });
    else for (let at = 0; at < count; at++) parts.push(...samePair(before[left + at]!, after[right + at]!));
    if (!added) left += count;
    if (!removed) right += count;
  }
  return joinChanges(parts);
}

const plainWords = (text: string): readonly string[] =>
  text.match(/\s+|[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu) ?? [];

const segments = (text: string): readonly string[] =>
  Array.from(new Intl.Segmenter("und", { granularity: "word" }).segment(text), ({ segment }) => segment);

/** Trailing white space goes before an empty word, so that no text is lost. */
function toWords(tokens: readonly string[]): Word[] {
  const words: Word[] = [];
  let gap = "";
  for (const token of tokens) {
    if (/^\s+$/u.test(token)) gap += token;
    else {
      words.push({ gap, word: token });
      gap = "";
    }
  }
  return gap === "" ? words : [...words, { gap, word: "" }];
}

const textOf = (words: readonly Word[]): string => words.map(({ gap, word }) => gap + word).join("");

function samePair(left: Word, right: Word): DiffPart[] {
  if (left.gap === right.gap) return [{ kind: "same", text: left.gap + left.word }];
  return [
    { kind: "removed", text: left.gap },
    { kind: "added", text: right.gap },
    { kind: "same", text: left.word },
  ];
}

/** Joins changes that are separated only by punctuation: one long change reads better than ten short ones. */
function joinChanges(parts: readonly DiffPart[]): DiffPart[] {
  const joined: DiffPart[] = [];
  let [same, removed, added] = ["", "", ""];
  const flush = (): void => {
    // White space before both changes is common to both.
    const gap = /^\s*/u.exec(removed)?.[0] ?? "";
    const shared = removed !== "" && added.startsWith(gap) ? gap : "";
    const [left, right] = [removed.slice(shared.length), added.slice(shared.length)];
    if (same + shared !== "") joined.push({ kind: "same", text: same + shared });
    if (left !== "") joined.push({ kind: "removed", text: left });
    if (right !== "") joined.push({ kind: "added", text: right });
    [same, removed, added] = ["", "", ""];
  };
  parts.forEach((part, index) => {
    const between = removed !== "" && added !== "" && index < parts.length - 1 && !/[\p{L}\p{N}\p{S}]/u.test(part.text);
    if (part.kind === "removed") removed += part.text;
    else if (part.kind === "added") added += part.text;
    else if (between) {
      removed += part.text;
      added += part.text;
    } else {
      if (removed + added !== "") flush();
      same += part.text;
    }
  });
  flush();
  return joined;
}
