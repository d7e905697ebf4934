/** Does the work on every item, at most `limit` at a time; results in the order of the items. The first rejection rejects. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const drain = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  const workers = Math.min(Math.max(1, limit), items.length);
  await Promise.all(Array.from({ length: workers }, drain));
  return results;
}
