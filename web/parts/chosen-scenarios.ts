const key = "rehearsal.chosen-scenarios";

/** Services and proxies take addresses up to some thousand characters; a reload sends this one. */
const longestQuery = 4000;

/** Address of a new run with these scenarios of the library. A list too long for an address is kept for this tab. */
export function newRunWith(ids: readonly string[]): string {
  const query = new URLSearchParams(ids.map((id) => ["scenario", id.toWellFormed()])).toString();
  if (query.length <= longestQuery) return `/new?${query}`;
  sessionStorage.setItem(key, JSON.stringify(ids));
  return "/new?scenarios=chosen";
}

/** The scenarios an address asks for. */
export const chosenScenarios = (params: URLSearchParams): string[] =>
  isKept(params) ? kept() : params.getAll("scenario");

/** Whether an address asks for what another tab keeps. */
export const isChoiceLost = (params: URLSearchParams): boolean => isKept(params) && kept().length === 0;

const isKept = (params: URLSearchParams): boolean => params.get("scenarios") === "chosen";

function kept(): string[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter((id): id is string => typeof id === "string") : [];
  } catch {
    return [];
  }
}
