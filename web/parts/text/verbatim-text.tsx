import { useMemo, useState, type ReactNode } from "react";
import { formatInteger } from "./format.ts";
import { headText, directionClass, isLong } from "./long-text.ts";

/** Unformatted text; a long one is truncated until the user asks for all of it. */
export function VerbatimText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  if (text === "") return <p className="text-soft italic">(empty)</p>;
  const shown = whole ? text : headText(text);
  return (
    <>
      <p dir="auto" className={`verbatim ${directionClass(shown)}`}>
        {shown}
      </p>
      {isLong(text) && !whole && <ShowAllButton length={text.length} onShow={() => setWhole(true)} />}
    </>
  );
}

/** Longer JSON is cut until the user asks for all of it. */
const longestJson = 5_000;

/** A JSON value, indented; a text as it is. */
export function JsonText({ value, label }: { value: unknown; label: string }) {
  const [whole, setWhole] = useState(false);
  const text = useMemo(() => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")), [value]);
  if (text === "") return <p className="text-soft italic">(empty)</p>;
  return (
    <>
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className={`mono verbatim max-h-96 overflow-auto rounded bg-sunken p-2 ${directionClass(text)}`}
      >
        {whole ? text : headText(text, longestJson)}
      </pre>
      {text.length > longestJson && !whole && <ShowAllButton length={text.length} onShow={() => setWhole(true)} />}
    </>
  );
}

export function ShowAllButton({ length, onShow }: { length: number; onShow: () => void }) {
  return (
    <button type="button" className="button justify-self-start" onClick={onShow}>
      Show all {formatInteger(length)} characters
    </button>
  );
}

export function TextPane({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1 rounded-md border border-line bg-canvas p-3">
      <h3 className="text-xs font-semibold text-soft">{title}</h3>
      {children}
    </div>
  );
}
