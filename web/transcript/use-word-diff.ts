import { useEffect, useState } from "react";
import { diffInWorker } from "./diff-in-worker.ts";
import type { DiffPart } from "./word-diff.ts";

type WordDiffState = { readonly state: "waiting" } | { readonly state: "done"; readonly parts: DiffPart[] | null };

const waiting: WordDiffState = { state: "waiting" };

/** The diff of two texts, once it is there. `parts` is null when they are too different to compare word by word. */
export function useWordDiff(reference: string, reply: string): WordDiffState {
  const [result, setResult] = useState(waiting);
  useEffect(() => {
    let current = true;
    setResult(waiting);
    void diffInWorker(reference, reply).then((parts) => {
      if (current) setResult({ state: "done", parts });
    });
    return () => {
      current = false;
    };
  }, [reference, reply]);
  return result;
}
