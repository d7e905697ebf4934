import { useState } from "react";
import { keptInTab } from "../parts/kept-in-tab.ts";

/** What a person chose, by the key of the reply. */
export type Choices = Readonly<Record<string, string>>;

/** By run and question. */
const kept = keptInTab<Readonly<Record<string, Choices>>>("rehearsal.audit-choices", {});

/** The choices made so far. They are there again after a look at another screen, and after a reload. */
export function useChoices(place: string): readonly [Choices, (key: string, choice: string) => void] {
  const [choices, setChoices] = useState(() => kept.read()[place] ?? {});
  const choose = (key: string, choice: string): void => {
    const next = { ...choices, [key]: choice };
    kept.keep({ ...kept.read(), [place]: next });
    setChoices(next);
  };
  return [choices, choose];
}
