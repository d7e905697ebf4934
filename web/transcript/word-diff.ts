import { diffWords, diffWordsWithSpace } from "diff";

/** A stretch of text that both have, or only the reference (`removed`), or only the reply (`added`). */
export interface DiffPart {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Scripts written without spaces need a segmenter to have words at all. */
const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Word by word from reference to reply; null when that would take too long, as it does for long unrelated texts. */
export function wordDiff(reference: string, reply: string, timeout = 100): DiffPart[] | null {
  const changes = withoutSpaces.test(reference + reply)
    ? diffWords(reference, reply, { timeout, intlSegmenter: new Intl.Segmenter("und", { granularity: "word" }) })
    : diffWordsWithSpace(reference, reply, { timeout });
  if (!changes) return null;
  return joinChanges(changes.map(({ value, added, removed }) => ({ kind: kindOf({ added, removed }), text: value })));
}

function kindOf({ added, removed }: { added: boolean; removed: boolean }): DiffPart["kind"] {
  if (added) return "added";
  return removed ? "removed" : "same";
}

/** A lone space or comma between changed words is not common ground: one long change reads better than ten short ones. */
function joinChanges(parts: readonly DiffPart[]): DiffPart[] {
  const joined: DiffPart[] = [];
  let removed = "";
  let added = "";
  const flush = (): void => {
    if (removed !== "") joined.push({ kind: "removed", text: removed });
    if (added !== "") joined.push({ kind: "added", text: added });
    removed = "";
    added = "";
  };
  parts.forEach((part, index) => {
    const between = removed !== "" && added !== "" && index < parts.length - 1 && !/[\p{L}\p{N}\p{S}]/u.test(part.text);
    if (part.kind === "removed") removed += part.text;
    else if (part.kind === "added") added += part.text;
    else if (between) {
      removed += part.text;
      added += part.text;
    } else {
      flush();
      joined.push(part);
    }
  });
  flush();
  return joined;
}
