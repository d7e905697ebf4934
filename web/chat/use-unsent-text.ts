import { useState } from "react";
import { keptInTab } from "../parts/kept-in-tab.ts";

const unsent = keptInTab("rehearsal.message", "");

/** What stands in the field for messages. */
export function useUnsentText(): readonly [string, (text: string) => void] {
  const [text, setText] = useState(unsent.read);
  const change = (typed: string): void => {
    unsent.keep(typed);
    setText(typed);
  };
  return [text, change];
}
