import { parentPort } from "node:worker_threads";
import { DocumentProblem, readPdf, type DocumentPassages } from "../../agent/knowledge/read-pdf.ts";

export interface PdfQuestion {
  readonly bytes: Uint8Array;
  readonly mostCharacters: number;
}

/** The answer of the thread. `problem`: written for the operator; null: the file is not a PDF. */
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
