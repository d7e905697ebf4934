import { useEffect, useId, useState, type KeyboardEvent } from "react";
import { mainArea } from "../browser/focus.ts";
import { changeSearch } from "../address/search-state.ts";

interface FilterInputProps {
  readonly label: string;
  /** The query parameter. */
  readonly name: string;
  readonly value: string;
  readonly placeholder?: string;
  /** Focused by the `/` key. */
  readonly first?: boolean;
  /** Shows the label to screen readers only. */
  readonly quiet?: boolean;
  readonly suggestions?: readonly string[];
  /** For numbers. */
  readonly short?: boolean;
}

/**
 * A filter stored in the address, updated when typing pauses. Enter moves the focus to the list, so that its keys work;
 * Escape clears the filter first.
 */
export function FilterInput({
  label,
  name,
  value,
  placeholder = "exact name",
  first = false,
  quiet = false,
  suggestions = [],
  short = false,
}: FilterInputProps) {
  const [text, setText] = useState(value);
  const list = useId();
  useEffect(() => setText(value), [value]);

  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => changeSearch({ [name]: text }), 200);
    return () => clearTimeout(timer);
  }, [name, text, value]);

  const leave = (left: string): void => {
    setText(left);
    changeSearch({ [name]: left });
    mainArea()?.focus({ preventScroll: true });
  };
  const onKeyDown = ({ key, nativeEvent }: KeyboardEvent): void => {
    if (nativeEvent.isComposing) return;
    if (key === "Enter") leave(text);
    if (key === "Escape") leave("");
  };

  return (
    <label
      className={`grid gap-1 text-xs font-medium text-soft max-sm:grow ${quiet ? "max-sm:basis-full" : "max-sm:basis-[40%]"}`}
    >
      <span className={quiet ? "sr-only" : ""}>{label}</span>
      <input
        type="search"
        dir="auto"
        className={`field w-full min-w-20 ${short ? "sm:w-24" : "sm:w-52"}`}
        data-filter={first ? "" : undefined}
        placeholder={placeholder}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        list={suggestions.length > 0 ? list : undefined}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map((entry) => (
            <option key={entry} value={entry} />
          ))}
        </datalist>
      )}
    </label>
  );
}
