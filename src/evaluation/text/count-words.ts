/** How often a text has each of its words, in order of their first appearance. */
export type WordCounts = ReadonlyMap<string, number>;

export function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** How many words two texts share, each as often as the text that has it less often. */
export function sharedWords(left: WordCounts, right: WordCounts): number {
  let shared = 0;
  for (const [word, count] of left) {
    const other = right.get(word);
    if (other !== undefined) shared += Math.min(count, other);
  }
  return shared;
}
