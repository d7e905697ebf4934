import { fileURLToPath } from "node:url";

/**
 * The browser's form of this package reads entities by setting innerHTML: a strict policy refuses that, and a worker, where Markdown is
 * read, has no document at all.
 */
export const withoutDocument = {
  "decode-named-character-reference": fileURLToPath(
    new URL("../node_modules/decode-named-character-reference/index.js", import.meta.url),
  ),
};
