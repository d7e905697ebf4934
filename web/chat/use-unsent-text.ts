import { useState } from "react";

const key = "rehearsal.message";

/** Where the browser's store is full, only a look at another screen does not lose it. */
let unsent = sessionStorage.getItem(key) ?? "";

/** What was typed and not sent: it is there again after a look at another screen, and after a reload. */
export function useUnsentText(): readonly [string, (text: string) => void] {
  const [text, setText] = useState(unsent);
  const change = (typed: string): void => {
    unsent = typed;
    setText(typed);
    try {
      sessionStorage.setItem(key, typed);
    } catch {
      sessionStorage.removeItem(key);
    }
  };
  return [text, change];
}
