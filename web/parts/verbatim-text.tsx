import { useState } from "react";
import { beginningOf, directionClass, isLong } from "./long-text.ts";
import { WholeTextButton } from "./whole-text-button.tsx";

/** Text as it was written, or that there is none; of a long one its beginning, until all of it is asked for. */
export function VerbatimText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  if (text === "") return <p className="text-soft italic">(empty)</p>;
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
