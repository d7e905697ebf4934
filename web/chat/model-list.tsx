import { useEffect } from "react";
import { formatInteger } from "../parts/format.ts";
import type { ModelOption } from "./model-options.ts";

interface ModelListProps {
  readonly id: string;
  readonly open: boolean;
  readonly options: readonly ModelOption[];
  readonly active: number;
  readonly typed: string;
  readonly onChoose: (model: string) => void;
}

/** As many as anybody scrolls through; the field narrows them. */
export const mostOptions = 200;

/** The options under the picker. Mouse down keeps the focus in the input, so that choosing is not taken for leaving. */
export function ModelList({ id, open, options, active, typed, onChoose }: ModelListProps) {
  useEffect(() => {
    if (active >= 0) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active]);
  const more = options.length - mostOptions;
  return (
    <div
      hidden={!open}
      className="panel absolute inset-x-0 top-full z-30 mt-1 max-h-80 min-w-64 overflow-y-auto py-1 shadow-lg"
      onMouseDown={(event) => event.preventDefault()}
    >
      <ul id={`${id}-list`} role="listbox" aria-label="Models">
        {options.slice(0, mostOptions).map((option, index) => (
          <li
            key={option.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            className="grid cursor-pointer grid-cols-[minmax(0,1fr)_auto] items-baseline gap-3 px-3 py-1.5 text-sm hover:bg-sunken aria-selected:bg-accent-ground"
            onClick={() => onChoose(option.id)}
          >
            <span className="truncate">
              {option.label}
              {option.label !== option.id && <span className="mono block truncate text-soft">{option.id}</span>}
            </span>
            <span className="text-xs text-soft">{option.group}</span>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p className="px-3 py-1.5 text-sm text-soft">and {formatInteger(more)} more: type a part of the name.</p>
      )}
      {options.length === 0 && (
        <p className="px-3 py-1.5 text-sm text-soft">
          {typed.trim() ? `Enter uses “${typed.trim()}” as it is.` : "No model is known yet. Type a model id."}
        </p>
      )}
    </div>
  );
}
