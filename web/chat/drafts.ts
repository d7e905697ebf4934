import { useState } from "react";
import { tabStorage } from "../parts/browser/storage.ts";

/** Drafts by the id of the message or tool call. */
const edited = tabStorage<Readonly<Record<string, string>>>("rehearsal.edited-texts", {});

/** The draft of an edited message or argument; null while it is not edited. */
export function useEditedText(place: string): readonly [string | null, (text: string | null) => void] {
  const [text, setText] = useState(() => edited.read()[place] ?? null);
  const change = (typed: string | null): void => {
    const { [place]: _, ...others } = edited.read();
    edited.keep(typed === null ? others : { ...others, [place]: typed });
    setText(typed);
  };
  return [text, change];
}

const unsent = tabStorage("rehearsal.message", "");

/** The draft of the next message. */
export function useUnsentText(): readonly [string, (text: string) => void] {
  const [text, setText] = useState(unsent.read);
  const change = (typed: string): void => {
    unsent.keep(typed);
    setText(typed);
  };
  return [text, change];
}
