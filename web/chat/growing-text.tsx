import { endOf, isLong } from "../parts/long-text.ts";

/** An answer while it is written. It is drawn many times a second: of a long one only the end. */
export function GrowingText({ text }: { text: string }) {
  return (
    <>
      {isLong(text) && <p className="text-sm text-soft">The beginning is shown when the answer is complete.</p>}
      <p dir="auto" className="verbatim">
        {endOf(text)}
      </p>
    </>
  );
}
