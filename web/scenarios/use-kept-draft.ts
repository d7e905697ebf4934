import { useEffect, useState } from "react";
import { keepDraft, keptDraft } from "./kept-drafts.ts";
import { fromDraft, type ScenarioDraft } from "./scenario-draft.ts";

interface KeptDraftOptions {
  /** Where it is written. */
  readonly place: string;
  readonly first: ScenarioDraft;
  /** The stored version that `first` is; null for none. */
  readonly version: string | null;
}

/** A draft that outlives its screen until it is saved or given up. */
export function useKeptDraft({ place, first, version }: KeptDraftOptions) {
  const [kept] = useState(() => keptDraft(place));
  const [draft, setDraft] = useState(kept?.draft ?? first);
  const [origin, setOrigin] = useState(kept ? kept.origin : version);
  const [restored, setRestored] = useState(kept !== null);
  const changed = toText(draft) !== toText(first);
  useEffect(() => keepDraft(place, changed ? { draft, origin } : null), [place, changed, draft, origin]);

  return {
    draft,
    setDraft,
    /** The version it was written upon. */
    origin,
    /** True while it shows what was written before this screen was opened. */
    restored: restored && changed,
    startOver(): void {
      setDraft(first);
      setOrigin(version);
      setRestored(false);
    },
    /** It is written upon this version from now on. */
    goOnFrom: setOrigin,
    forget: () => keepDraft(place, null),
  };
}

const toText = (draft: ScenarioDraft): string => JSON.stringify(fromDraft(draft));
