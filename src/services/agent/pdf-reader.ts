import { Worker } from "node:worker_threads";
import { DocumentProblem, type ReadPdf } from "../../agent/knowledge/read-pdf.ts";
import { threadFile } from "../../base/thread-file.ts";
import { createGuardedThread, ThreadOverrun } from "../../runs/threads/guarded-thread.ts";
import type { PdfAnswer, PdfQuestion } from "./pdf-thread.ts";

const file = threadFile("pdf-thread", import.meta.url);

interface PdfReaderOptions {
  readonly longestMs?: number;
  readonly mostMegabytes?: number;
}

/**
 * Reads PDFs in a thread, so that the service stays responsive: a few kilobytes may decompress to gigabytes, and a long book takes
 * half a minute.
 */
export function createPdfReader({ longestMs = 60_000, mostMegabytes = 512 }: PdfReaderOptions = {}): ReadPdf {
  const thread = createGuardedThread<PdfQuestion, PdfAnswer>({
    start: (resourceLimits) => new Worker(file, { resourceLimits }),
    longestMs,
    mostMegabytes,
  });
  return async (bytes, mostCharacters) => {
    const answer = await thread.ask({ bytes, mostCharacters }).catch(explainOverrun);
    if ("document" in answer) return answer.document;
    throw answer.problem === null ? new Error("It is not a PDF.") : new DocumentProblem(answer.problem);
  };
}

function explainOverrun(error: unknown): never {
  if (!(error instanceof ThreadOverrun)) throw error;
  throw new DocumentProblem(error.of === "time" ? "it takes too long to read" : "it takes too much memory to read");
}
