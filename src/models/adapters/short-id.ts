import { createHash } from "node:crypto";

/** Nine letters and digits, which is all that Mistral takes. The same id always gives the same one; one that fits is kept. */
export function shortId(id: string): string {
  return /^[a-z\d]{9}$/i.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9);
}
