import type { DiffPart } from "./word-diff.ts";
import type { DiffAnswer, DiffQuestion } from "./word-diff.worker.ts";

const waiting = new Map<number, (parts: DiffPart[] | null) => void>();
let worker: Worker | null | undefined;
let lastId = 0;

function startWorker(): Worker | null {
  try {
    const started = new Worker(new URL("./word-diff.worker.ts", import.meta.url), { type: "module" });
    started.addEventListener("message", ({ data }: MessageEvent<DiffAnswer>) => {
      waiting.get(data.id)?.(data.parts);
      waiting.delete(data.id);
    });
    started.addEventListener("error", stopWorker);
    return started;
  } catch {
    return null;
  }
}

/** Without a worker there is no word diff; the texts are shown side by side. */
function stopWorker(): void {
  worker = null;
  for (const answer of waiting.values()) answer(null);
  waiting.clear();
}

/** Computes a word diff off the main thread. */
export function diffInWorker(reference: string, reply: string): Promise<DiffPart[] | null> {
  if (worker === undefined) worker = startWorker();
  if (worker === null) return Promise.resolve(null);
  const question: DiffQuestion = { id: ++lastId, reference, reply };
  const running = worker;
  return new Promise((resolve) => {
    waiting.set(question.id, resolve);
    running.postMessage(question);
  });
}
