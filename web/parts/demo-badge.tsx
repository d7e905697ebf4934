import { FlaskConical } from "lucide-react";

/** Scores and words of a demo model must never pass for those of a language model. */
export function DemoBadge({ short = false }: { short?: boolean }) {
  return (
    <span
      className="inline-flex items-center gap-1 rounded bg-warn-ground px-1.5 py-0.5 text-xs font-medium text-warn"
      title="demo: scripted, not a language model"
    >
      <FlaskConical aria-hidden size={12} />
      {short ? "demo" : "demo: scripted, not a language model"}
    </span>
  );
}
