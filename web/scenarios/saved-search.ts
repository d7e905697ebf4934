import type { Kept } from "../library-api.ts";

/** What became of a save, for the address of the scenario. */
export function savedSearch({ created, duplicate_of }: Kept): string {
  const params = new URLSearchParams({ saved: created ? "new" : "same" });
  if (duplicate_of !== undefined) params.set("of", duplicate_of);
  return `?${params.toString()}`;
}
