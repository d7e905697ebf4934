import { TriangleAlert, X } from "lucide-react";
import type { LeftOut } from "../exported-file.ts";
import { formatInteger } from "./format.ts";

interface LeftOutNoticeProps {
  readonly file: string;
  readonly leftOut: LeftOut;
  readonly onClose: () => void;
}

/** What a file that was exported does not hold, because its format has no place for it. */
export function LeftOutNotice({ file, leftOut: { count, notes }, onClose }: LeftOutNoticeProps) {
  return (
    <section
      aria-label="Left out of the file"
      className="order-last grid w-0 min-w-full grid-cols-[minmax(0,1fr)_auto] items-start gap-1.5 rounded-lg bg-warn-ground p-3 text-sm text-warn"
    >
      <p role="status" className="flex items-start gap-2 font-semibold">
        <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
        <span className="verbatim">Not everything is in {file}</span>
      </p>
      <button type="button" className="button button-quiet" aria-label="Close" onClick={onClose}>
        <X aria-hidden size={14} />
      </button>
      <ul className="col-span-2 grid max-h-48 gap-1 overflow-y-auto text-ink" tabIndex={0} aria-label="Not in the file">
        {notes.map((note, index) => (
          <li key={index} className="verbatim">
            {note}
          </li>
        ))}
        {count > notes.length && <li className="text-soft">and {formatInteger(count - notes.length)} more</li>}
      </ul>
    </section>
  );
}
