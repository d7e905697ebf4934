import type { ParsedMarkdown } from "../markdown/markdown.worker.ts";
import { parseMarkdown } from "../markdown/parse-markdown.ts";

/** Nothing can stop it here, so a text that could take very long is not tried. */
const longest = 100_000;

/** A file has no worker to start: Markdown is read here. */
export const parseInWorker = async (text: string): Promise<ParsedMarkdown> =>
  text.length > longest ? null : parseMarkdown(text);
