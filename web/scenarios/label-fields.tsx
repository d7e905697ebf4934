import { Plus } from "lucide-react";
import { formatValue } from "../parts/format.ts";
import { RemoveRow } from "./remove-row.tsx";
import { parseLabel, type LabelDraft } from "./scenario-draft.ts";

interface LabelFieldsProps {
  readonly labels: readonly LabelDraft[];
  readonly onChange: (labels: readonly LabelDraft[]) => void;
}

/** Expected labels, such as intent and sentiment. */
export function LabelFields({ labels, onChange }: LabelFieldsProps) {
  const change = (index: number, changes: Partial<LabelDraft>): void =>
    onChange(labels.map((label, other) => (other === index ? { ...label, ...changes } : label)));
  return (
    <div data-rows="" className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <span className="text-sm font-medium">Labels</span>
      {labels.map((label, index) => (
        <div key={index} className="flex items-center gap-1">
          <input
            className="field max-w-40"
            aria-label={`Label ${index + 1}, name`}
            placeholder="intent"
            value={label.key}
            onChange={(event) => change(index, { key: event.target.value })}
          />
          <input
            className="field"
            aria-label={`Label ${index + 1}, value`}
            placeholder="refund"
            value={formatValue(label.value)}
            onChange={(event) => change(index, { value: parseLabel(event.target.value, label.value) })}
          />
          <RemoveRow
            label={`Remove label ${label.key || index + 1}`}
            last={index === labels.length - 1}
            onRemove={() => onChange(labels.toSpliced(index, 1))}
          />
        </div>
      ))}
      <button
        type="button"
        data-add=""
        className="button button-quiet justify-self-start"
        onClick={() => onChange([...labels, { key: "", value: "" }])}
      >
        <Plus aria-hidden size={14} /> Label
      </button>
    </div>
  );
}
