import { Columns2, X } from "lucide-react";
import { useState } from "react";
import type { ModelOption } from "./model-options.ts";
import { ModelPicker } from "./model-picker.tsx";

interface ModelBarProps {
  readonly options: readonly ModelOption[];
  readonly model: string;
  /** null while one model answers alone. */
  readonly second: string | null;
  readonly onChange: (changes: { model?: string; second?: string | null }) => void;
}

/** One model, or two that answer the same message side by side. */
export function ModelBar({ options, model, second, onChange }: ModelBarProps) {
  // Each of the two buttons goes away when it is pressed: what comes in its place takes the focus.
  const [pressed, setPressed] = useState(false);
  const change = (changes: Parameters<typeof onChange>[0]): void => {
    setPressed(true);
    onChange(changes);
  };
  const other = options.find((option) => option.id !== model)?.id ?? model;
  return (
    <div className="flex min-w-0 flex-1 flex-wrap items-end gap-2 max-sm:basis-full">
      <div className="flex min-w-56 flex-1">
        <ModelPicker label="Model" options={options} value={model} onChange={(id) => onChange({ model: id })} />
      </div>
      {second === null ? (
        <button
          type="button"
          className="button"
          autoFocus={pressed}
          disabled={other === ""}
          onClick={() => change({ model, second: other })}
        >
          <Columns2 aria-hidden size={14} />
          {/* A phone has no room for the last word. */}
          <span>
            Add a second<span className="max-sm:sr-only"> model</span>
          </span>
        </button>
      ) : (
        <div className="flex min-w-56 flex-1 items-end gap-1">
          <ModelPicker
            label="Second model"
            options={options}
            autoFocus={pressed}
            value={second}
            onChange={(id) => onChange({ second: id })}
          />
          <button
            type="button"
            className="button"
            aria-label="Remove the second model"
            onClick={() => change({ second: null })}
          >
            <X aria-hidden size={14} />
          </button>
        </div>
      )}
    </div>
  );
}
