/** Waits for the work, but no longer than so many milliseconds. */
export async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise: patience, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, patience]).finally(() => clearTimeout(timer));
}
