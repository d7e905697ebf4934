import type { z } from "zod";
import { nearestName } from "../../base/text.ts";

const mostNamed = 5;
/** As much of a name as is told. */
const shownLength = 80;

/**
 * The `warning` header for an address with parameters that the query does not know, with the nearest names it does know. Null where
 * it knows all of them. In a header, since not every answer that an address asks for has a place for it.
 */
export function unknownParameters(query: z.ZodObject, sent: readonly string[]): string | null {
  const known = Object.keys(query.shape);
  const unknown = sent.filter((name) => !known.includes(name)).slice(0, mostNamed);
  if (unknown.length === 0) return null;
  const named = unknown.map((name) => {
    const suggestion = nearestName(name, known);
    // Percent-encoded, so that a name of any characters fits into a header.
    const shown = encodeURIComponent(name.toWellFormed()).slice(0, shownLength);
    return suggestion === undefined ? shown : `${shown} (${suggestion}?)`;
  });
  return `199 - "Unknown query parameters were ignored: ${named.join(", ")}"`;
}
