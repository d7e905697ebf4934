/** Text of rows that is read together, and the row with which it becomes more: one may hold megabytes. */
const bytesAtOnce = 4 * 1024 * 1024;

/** How many of these rows are read at once: those that fit, and the first one however long it is. */
export function countThatFit(rows: readonly { readonly bytes: number }[]): number {
  let together = 0;
  const over = rows.findIndex(({ bytes }) => (together += bytes) > bytesAtOnce);
  return over === -1 ? rows.length : Math.max(1, over);
}
