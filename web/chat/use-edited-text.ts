import { useState } from "react";
import { keptInTab } from "../parts/kept-in-tab.ts";

/** By the exchange whose message is edited. */
const edited = keptInTab<Readonly<Record<string, string>>>("rehearsal.edited-messages", {});

/** A message as it is being edited; null while it is not. */
export function useEditedText(exchangeId: string): readonly [string | null, (text: string | null) => void] {
  const [text, setText] = useState(() => edited.read()[exchangeId] ?? null);
  const change = (typed: string | null): void => {
    const { [exchangeId]: _, ...others } = edited.read();
    edited.keep(typed === null ? others : { ...others, [exchangeId]: typed });
    setText(typed);
  };
  return [text, change];
}
