import { Worker } from "node:worker_threads";
import { DocumentProblem } from "../../agent/knowledge/read-pdf.ts";
import type { ReadPdf } from "../../agent/knowledge/read-pdf.ts";
import { threadFile } from "../../base/thread-file.ts";
import { createGuardedThread, ThreadOverrun } from "../../runs/guarded-thread.ts";
import type { PdfAnswer, PdfQuestion } from "./pdf-thread.ts";

const file = threadFile("pdf-thread", import.meta.url);

interface PdfReaderOptions {
  readonly longestMs?: number;
  readonly mostMegabytes?: number;
}

/**
 * Reads PDFs in a thread: a few kilobytes of one may unpack to gigabytes, and a thick book takes half a minute. Meanwhile the
 * service answers everybody else.
 */
export function createPdfReader({ longestMs = 60_000, mostMegabytes = 512 }: PdfReaderOptions = {}): ReadPdf {
  const thread = createGuardedThread<PdfQuestion, PdfAnswer>({
    start: (resourceLimits) => new Worker(file, { resourceLimits }),
    longestMs,
    mostMegabytes,
  });
  return async (bytes, mostCharacters) => {
    const answer = await thread.ask({ bytes, mostCharacters }).catch(tellOverrun);
    if ("document" in answer) return answer.document;
    throw answer.problem === null ? new Error("It is no PDF.") : new DocumentProblem(answer.problem);
  };
}

function tellOverrun(error: unknown): never {
  if (!(error instanceof ThreadOverrun)) throw error;
  throw new DocumentProblem(error.of === "time" ? "it takes too long to read" : "it takes too much memory to read");
}
