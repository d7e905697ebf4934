import { useState } from "react";
import { keptInTab } from "../parts/kept-in-tab.ts";

/** By what is edited: the message of an exchange, or the arguments of a call. */
const edited = keptInTab<Readonly<Record<string, string>>>("rehearsal.edited-texts", {});

/** A text as it is being edited; null while it is not. */
export function useEditedText(place: string): readonly [string | null, (text: string | null) => void] {
  const [text, setText] = useState(() => edited.read()[place] ?? null);
  const change = (typed: string | null): void => {
    const { [place]: _, ...others } = edited.read();
    edited.keep(typed === null ? others : { ...others, [place]: typed });
    setText(typed);
  };
  return [text, change];
}
