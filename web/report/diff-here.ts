import { wordDiff, type DiffPart } from "../transcript/word-diff.ts";

/** A file has no worker to start: the diff is made here, within the same time limit. */
export const diffInWorker = async (reference: string, reply: string): Promise<DiffPart[] | null> =>
  wordDiff(reference, reply);
