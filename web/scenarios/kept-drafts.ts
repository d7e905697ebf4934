import type { ScenarioDraft } from "./scenario-draft.ts";

const key = "rehearsal.scenario-drafts";

/** As many as are kept; older ones make room. */
const most = 20;

interface KeptDraft {
  readonly draft: ScenarioDraft;
  /** The version it was written upon; null for one that is stored nowhere. */
  readonly origin: string | null;
}

/** What was written in this tab and not saved, by where it was written: a reload or a look at another screen loses none of it. */
export function keptDraft(place: string): KeptDraft | null {
  return read().find(([at]) => at === place)?.[1] ?? null;
}

/** Drafts too large for the browser's store are simply not kept. */
export function keepDraft(place: string, kept: KeptDraft | null): void {
  const others = read().filter(([at]) => at !== place);
  const entries = kept ? [...others, [place, kept] as const].slice(-most) : others;
  try {
    sessionStorage.setItem(key, JSON.stringify(entries));
  } catch {
    sessionStorage.removeItem(key);
  }
}

function read(): (readonly [string, KeptDraft])[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? (stored as (readonly [string, KeptDraft])[]) : [];
  } catch {
    return [];
  }
}
