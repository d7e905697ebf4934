import { useId, useRef, useState, type KeyboardEvent } from "react";
import { matchOptions, toModelId, type ModelOption } from "./model-options.ts";
import { ModelList, mostOptions } from "./model-list.tsx";

interface ModelPickerProps {
  readonly label: string;
  readonly options: readonly ModelOption[];
  readonly value: string;
  readonly onChange: (model: string) => void;
  readonly autoFocus?: boolean;
}

/** An editable combobox: pick by name, or type any model id and press Enter. */
export function ModelPicker({ label, options, value, onChange, autoFocus = false }: ModelPickerProps) {
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
