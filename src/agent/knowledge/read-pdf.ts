import { splitText, type Passage } from "./passages.ts";

export type ReadPdf = (bytes: Uint8Array, mostCharacters: number) => Promise<DocumentPassages>;

/** The passages of a PDF, with their pages. A hostile file can take arbitrarily long. */
export const readPdf: ReadPdf = async (bytes, mostCharacters) => {
  // Loaded on demand: the library is large, and most folders contain no PDF.
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }).catch(explainPassword);
  const passages: Passage[] = [];
  let left = mostCharacters;
  for (let page = 1; page <= document.numPages && left > 0; page += 1) {
    const { items } = await (await document.getPage(page)).getTextContent();
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    passages.push(...splitText(text.slice(0, left)).map((passage) => ({ ...passage, lines: null, page })));
    left -= text.length;
  }
  if (left < 0) return { passages, missing: `only its first ${mostCharacters} characters are searched` };
  return { passages, missing: passages.length === 0 ? "it contains no text; it may be a scan" : null };
};

function explainPassword(error: unknown): never {
  const isLocked = error instanceof Error && error.name === "PasswordException";
  throw isLocked ? new DocumentProblem("it is protected by a password") : error;
}

/** The passages of one document. */
export interface DocumentPassages {
  readonly passages: readonly Passage[];
  /** The part of the document that is left out; null when complete. */
  readonly missing: string | null;
}

/** The reason why a document cannot be searched, written for the operator. */
export class DocumentProblem extends Error {
  override readonly name = "DocumentProblem";
}
