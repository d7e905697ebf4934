import { useEffect, useState } from "react";
import { keptInTab } from "../parts/kept-in-tab.ts";
import { emptyMapping, type Mapping } from "./mapping-fields.tsx";

/** What is to be imported, and what is said about it. */
interface ImportDraft {
  readonly text: string;
  /** Of the file it was read from; empty for text that was typed or pasted. */
  readonly name: string;
  readonly format: string;
  readonly mapping: Mapping;
}

const nothing: ImportDraft = { text: "", name: "", format: "auto", mapping: emptyMapping };
const kept = keptInTab("rehearsal.import", nothing);

/** A draft that outlives its screen until it is stored. */
export function useImportDraft() {
  const [draft, setDraft] = useState(kept.read);
  useEffect(() => kept.keep(draft), [draft]);
  return {
    draft,
    change: (changes: Partial<ImportDraft>): void => setDraft((current) => ({ ...current, ...changes })),
    /** Whoever comes back begins with nothing. */
    forget: () => kept.keep(nothing),
  };
}
