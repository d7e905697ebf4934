import { parentPort } from "node:worker_threads";
import { DocumentProblem } from "../../agent/knowledge/read-pdf.ts";
import type { DocumentPassages } from "../../agent/knowledge/read-pdf.ts";
import { readPdf } from "../../agent/knowledge/read-pdf.ts";

export interface PdfQuestion {
  readonly bytes: Uint8Array;
  readonly mostCharacters: number;
}

/** What the thread says of a file. `problem`: in words for whoever put it there; null: it is no PDF. */
export type PdfAnswer = { readonly document: DocumentPassages } | { readonly problem: string | null };

parentPort?.on("message", async (question: PdfQuestion) => parentPort?.postMessage(await read(question)));

async function read({ bytes, mostCharacters }: PdfQuestion): Promise<PdfAnswer> {
  try {
    return { document: await readPdf(bytes, mostCharacters) };
  } catch (error) {
    return { problem: error instanceof DocumentProblem ? error.message : null };
  }
}

parentPort?.postMessage("ready");
