import { Columns2, X } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { formatInteger } from "../parts/text/format.ts";
import { matchOptions, toModelId, type ModelOption } from "./model-options.ts";

interface ModelBarProps {
  readonly options: readonly ModelOption[];
  readonly model: string;
  /** Null for a chat with one model. */
  readonly second: string | null;
  readonly onChange: (changes: { model?: string; second?: string | null }) => void;
}

/** One model, or two that answer the same message side by side. */
export function ModelBar({ options, model, second, onChange }: ModelBarProps) {
  // Each button disappears when pressed; its replacement takes the focus.
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
          {/* Phones have no room for the last word. */}
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

interface ModelPickerProps {
  readonly label: string;
  readonly options: readonly ModelOption[];
  readonly value: string;
  readonly onChange: (model: string) => void;
  readonly autoFocus?: boolean;
}

/** An editable combobox: pick by name, or type any model id and press Enter. */
function ModelPicker({ label, options, value, onChange, autoFocus = false }: ModelPickerProps) {
  const [text, setText] = useState<string | null>(null);
  const [active, setActive] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const open = text !== null;
  const shown = open ? matchOptions(options, text) : [];
  const reachable = Math.min(shown.length, mostOptions);
  const name = options.find((option) => option.id === value)?.label ?? value;

  const close = (): void => {
    setText(null);
    setActive(-1);
  };
  const choose = (model: string): void => {
    if (model !== "") onChange(model);
    close();
  };
  const typed = (): string => toModelId(options, text ?? "");

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (!open) setText("");
      else if (active === -1 && step === -1) setActive(reachable - 1);
      else if (reachable > 0) setActive((active + step + reachable) % reachable);
    } else if (event.key === "Enter" && open) {
      event.preventDefault();
      choose(shown[active]?.id ?? typed());
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };

  return (
    <div className="relative min-w-0 flex-1">
      <label htmlFor={id} className="mb-1 block text-xs font-medium text-soft">
        {label}
      </label>
      <input
        ref={input}
        id={id}
        role="combobox"
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        autoFocus={autoFocus}
        spellCheck={false}
        className="field"
        placeholder={open ? name || "name, UUID or provider/model" : "choose a model"}
        value={text ?? name}
        onFocus={() => setText("")}
        onClick={() => setText((current) => current ?? "")}
        onBlur={() => (text ? choose(typed()) : close())}
        onChange={(event) => {
          setText(event.target.value);
          setActive(-1);
        }}
        onKeyDown={onKeyDown}
      />
      <ModelList
        id={id}
        open={open}
        options={shown}
        active={active}
        typed={text ?? ""}
        onChoose={(model) => {
          choose(model);
          input.current?.blur();
        }}
      />
    </div>
  );
}

interface ModelListProps {
  readonly id: string;
  readonly open: boolean;
  readonly options: readonly ModelOption[];
  readonly active: number;
  readonly typed: string;
  readonly onChoose: (model: string) => void;
}

/** Longer lists are cut; typing narrows them. */
const mostOptions = 200;

/** The list below the picker. Mouse down keeps the focus in the input, which would otherwise close the list. */
function ModelList({ id, open, options, active, typed, onChoose }: ModelListProps) {
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
        <p className="px-3 py-1.5 text-sm text-soft">and {formatInteger(more)} more. Type to narrow the list.</p>
      )}
      {options.length === 0 && (
        <p className="px-3 py-1.5 text-sm text-soft">
          {typed.trim() ? `Press Enter to use “${typed.trim()}”.` : "No models found. Type a model id."}
        </p>
      )}
    </div>
  );
}
