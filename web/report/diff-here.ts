import { wordDiff, type DiffPart } from "../transcript/word-diff.ts";

/** In a report the diff is made here, within the same time limit: its worker would be a second copy of the code. */
export const diffInWorker = async (reference: string, reply: string): Promise<DiffPart[] | null> =>
  wordDiff(reference, reply);
