const key = "rehearsal.chosen-scenarios";

/** Services and proxies take addresses up to some thousand characters; a reload sends this one. */
const longestQuery = 4000;

/** Address of a new run with these scenarios, of the library or of a run to repeat. A list too long for an address is kept for this tab. */
export function newRunWith(ids: readonly string[], { from }: { from?: string } = {}): string {
  const start = from === undefined ? [] : [["from", from]];
  const query = new URLSearchParams([...start, ...ids.map((id) => ["scenario", id.toWellFormed()])]).toString();
  if (query.length <= longestQuery) return `/new?${query}`;
  sessionStorage.setItem(key, JSON.stringify(ids));
  return `/new?${new URLSearchParams([...start, ["scenarios", "chosen"]]).toString()}`;
}

/** The scenarios an address asks for. */
export const chosenScenarios = (params: URLSearchParams): string[] =>
  params.get("scenarios") === "chosen" ? kept() : params.getAll("scenario");

function kept(): string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id): id is string => typeof id === "string") : [];
  } catch {
    return [];
  }
}
