import { useState } from "react";
import { beginningOf, directionClass, isLong } from "./long-text.ts";
import { WholeTextButton } from "./whole-text-button.tsx";

/** Text as it was written; of a long one its beginning, until all of it is asked for. */
export function VerbatimText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? text : beginningOf(text);
  return (
    <>
      <p dir="auto" className={`verbatim ${directionClass(shown)}`}>
        {shown}
      </p>
      {isLong(text) && !whole && <WholeTextButton length={text.length} onShow={() => setWhole(true)} />}
    </>
  );
}
