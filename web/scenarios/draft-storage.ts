import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { findScenario, hasScenario, saveScenario, type SavedScenario, type KeptScenario } from "../api/library.ts";
import { fromDraft, type EditedScenario } from "./edited-scenario.ts";

interface PersistedDraftOptions {
  /** Identifies the edited scenario in session storage. */
  readonly draftKey: string;
  /** The content without edits. */
  readonly initial: EditedScenario;
  /** The stored version of `initial`; null if there is none. */
  readonly version: string | null;
}

/** A scenario draft that survives reloads and screen changes in this tab until it is saved or discarded. */
export function usePersistedDraft({ draftKey, initial, version }: PersistedDraftOptions) {
  const [stored] = useState(() => loadDraft(draftKey));
  const [draft, setDraft] = useState(stored?.draft ?? initial);
  const [origin, setOrigin] = useState(stored ? stored.origin : version);
  const [restored, setRestored] = useState(stored !== null);
  const changed = toText(draft) !== toText(initial);
  useEffect(() => storeDraft(draftKey, changed ? { draft, origin } : null), [draftKey, changed, draft, origin]);

  return {
    draft,
    setDraft,
    /** The version the draft is based on. */
    origin,
    setOrigin,
    /** True while the draft has edits from an earlier visit. */
    restored: restored && changed,
    startOver(): void {
      setDraft(initial);
      setOrigin(version);
      setRestored(false);
    },
    discard: () => storeDraft(draftKey, null),
  };
}

const toText = (draft: EditedScenario): string => JSON.stringify(fromDraft(draft));

const storageKey = "rehearsal.scenario-drafts";

/** The oldest drafts are dropped. */
const maxDrafts = 20;

interface PersistedDraft {
  readonly draft: EditedScenario;
  /** The version it is based on; null for a new scenario. */
  readonly origin: string | null;
}

function loadDraft(draftKey: string): PersistedDraft | null {
  return loadAll().find(([key]) => key === draftKey)?.[1] ?? null;
}

/** Drafts too large for session storage are not kept. */
function storeDraft(draftKey: string, draft: PersistedDraft | null): void {
  const others = loadAll().filter(([key]) => key !== draftKey);
  const entries = draft ? [...others, [draftKey, draft] as const].slice(-maxDrafts) : others;
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(entries));
  } catch {
    sessionStorage.removeItem(storageKey);
  }
}

function loadAll(): (readonly [string, PersistedDraft])[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? "[]");
    return Array.isArray(stored) ? (stored as (readonly [string, PersistedDraft])[]) : [];
  } catch {
    return [];
  }
}

interface SaveOptions {
  readonly draft: EditedScenario;
  /** The id of the stored scenario; null for a new one. */
  readonly storedId: string | null;
  /** The version the draft is based on. */
  readonly origin: string | null;
  /** Called as soon as the scenario is stored, before it is loaded again. */
  readonly onStored: (kept: SavedScenario | undefined) => void;
  /** `written` is the stored draft: the user may have typed more since. */
  readonly onSaved: (kept: SavedScenario | undefined, written: EditedScenario) => void;
  /** Called before the dialog for a taken id opens. */
  readonly onIdTaken: () => void;
}

interface Saved {
  readonly kind: "saved";
  readonly kept: SavedScenario | undefined;
  readonly written: EditedScenario;
}

/** Another scenario has the id, or the scenario changed since it was opened (`theirs`; null if it was removed). */
type SaveConflict = { readonly kind: "id-taken" } | { readonly kind: "changed"; readonly theirs: KeptScenario };

/** Saves a scenario. A conflict is returned instead, unless `overwrite` is set. */
export function useSaveScenario({ draft, storedId, origin, onStored, onSaved, onIdTaken }: SaveOptions) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ overwrite }: { overwrite: boolean }): Promise<SaveConflict | Saved> => {
      const conflict = overwrite ? null : await findConflict({ draft, storedId, origin });
      return conflict ?? { kind: "saved", kept: await saveScenario(fromDraft(draft)), written: draft };
    },
    onSuccess: async (result) => {
      if (result.kind === "id-taken") return onIdTaken();
      if (result.kind === "changed") return;
      onStored(result.kept);
      await client.invalidateQueries({ queryKey: ["library"] });
      onSaved(result.kept, result.written);
    },
  });
}

async function findConflict({
  draft,
  storedId,
  origin,
}: Pick<SaveOptions, "draft" | "storedId" | "origin">): Promise<SaveConflict | null> {
  if (draft.id !== storedId) return (await hasScenario(draft.id)) ? { kind: "id-taken" } : null;
  const stored = await findScenario(draft.id);
  if (stored === "unknown") return null;
  return origin !== null && stored?.version !== origin ? { kind: "changed", theirs: stored } : null;
}
