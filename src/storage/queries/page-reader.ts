import type { LongReads, Reader } from "../database.ts";

/** A page that takes longer holds others up: its texts are long, or the disk is slow. */
const patienceMs = 10;

/** Reads one page from wherever pages are read by now. */
type ReadPage = <Page>(read: (from: Reader) => Promise<Page>) => Promise<Page>;

/**
 * Reads page after page in this thread, and once a page has taken long, the rest in another. That one is worth it only then:
 * it holds some fifteen megabytes, and to hand rows over takes as long as to read short ones.
 */
export function createPageReader(
  { reader, longReader = reader }: LongReads,
  now: () => number = () => performance.now(),
): ReadPage {
  let source = reader;
  return async (read) => {
    const began = now();
    const page = await read(source);
    if (now() - began > patienceMs) source = longReader;
    return page;
  };
}
