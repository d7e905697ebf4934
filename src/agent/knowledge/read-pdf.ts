import type { DocumentPassages } from "./document-passages.ts";
import { DocumentProblem } from "./document-problem.ts";
import type { Passage } from "./passage.ts";
import { splitText } from "./split-markdown.ts";

export type ReadPdf = (bytes: Uint8Array, mostCharacters: number) => Promise<DocumentPassages>;

/** The passages of a PDF, with their pages. How long that takes is for whoever wrote the file to say. */
export const readPdf: ReadPdf = async (bytes, mostCharacters) => {
  // Loaded on demand: the library is large, and most folders hold no PDF.
  const { getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }).catch(tellPassword);
  const passages: Passage[] = [];
  let left = mostCharacters;
  for (let page = 1; page <= document.numPages && left > 0; page += 1) {
    const { items } = await (await document.getPage(page)).getTextContent();
    const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    passages.push(...splitText(text.slice(0, left)).map((passage) => ({ ...passage, lines: null, page })));
    left -= text.length;
  }
  if (left < 0) return { passages, missing: `only its first ${mostCharacters} characters are searched` };
  return { passages, missing: passages.length === 0 ? "it holds no text, as a scan does" : null };
};

function tellPassword(error: unknown): never {
  const isLocked = error instanceof Error && error.name === "PasswordException";
  throw isLocked ? new DocumentProblem("it is protected by a password") : error;
}
