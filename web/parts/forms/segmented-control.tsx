import { useId } from "react";

interface Segment<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

interface SegmentedChoiceProps<Value extends string> {
  readonly legend: string;
  readonly segments: readonly Segment<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** Native radio buttons drawn as one bar, so that arrow keys and screen readers work. */
export function SegmentedControl<Value extends string>({
  legend,
  segments,
  value,
  onChange,
}: SegmentedChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset className="inline-flex flex-wrap rounded-md border border-line bg-sunken p-0.5">
      <legend className="sr-only">{legend}</legend>
      {segments.map((segment) => (
        <label
          key={segment.value}
          className="cursor-pointer rounded px-2 py-1 text-sm text-soft has-checked:bg-surface dark:has-checked:bg-line has-checked:font-medium has-checked:text-ink has-checked:shadow-xs has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            className="sr-only"
            name={name}
            value={segment.value}
            checked={segment.value === value}
            onChange={() => onChange(segment.value)}
          />
          {segment.label}
        </label>
      ))}
    </fieldset>
  );
}
