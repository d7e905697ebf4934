import type { ReactNode } from "react";

interface FigureProps {
  readonly label: string;
  readonly note: string;
  readonly tone?: "plain" | "bad";
  readonly children: ReactNode;
}

export function Figure({ label, note, tone = "plain", children }: FigureProps) {
  return (
    <div className="grid content-start gap-0.5 bg-surface px-3 py-2 sm:px-4 sm:py-3">
      <dt className="text-xs font-medium text-soft">{label}</dt>
      <dd>
        <span className={`text-lg font-semibold tabular-nums sm:text-2xl ${tone === "bad" ? "text-bad" : ""}`}>
          {children}
        </span>
        <span className="block text-xs text-soft max-sm:sr-only">{note}</span>
      </dd>
    </div>
  );
}
