/** The set with one entry more, or one less when it was there. */
export function toggled<Entry>(set: ReadonlySet<Entry>, entry: Entry): ReadonlySet<Entry> {
  const next = new Set(set);
  if (!next.delete(entry)) next.add(entry);
  return next;
}
