import type { ReactNode } from "react";

export function TextPane({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1 rounded-md border border-line bg-canvas p-3">
      <h3 className="text-xs font-semibold text-soft">{title}</h3>
      {children}
    </div>
  );
}
