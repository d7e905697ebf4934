/** Things that wait, one of each asker in turn: whoever brings much waits for it alone. */
interface FairLine<Item> {
  add(asker: string | null, item: Item): void;
  /** The next one, if there is any. */
  take(): Item | undefined;
}

export function createFairLine<Item>(): FairLine<Item> {
  /** The asker who has waited longest since it was last its turn comes first. */
  const lines = new Map<string | null, Item[]>();

  return {
    add(asker, item) {
      const line = lines.get(asker);
      if (line) line.push(item);
      else lines.set(asker, [item]);
    },
    take() {
      const [first] = lines;
      if (!first) return undefined;
      const [asker, line] = first;
      const item = line.shift();
      lines.delete(asker);
      if (line.length > 0) lines.set(asker, line);
      return item;
    },
  };
}
