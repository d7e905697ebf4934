import type { ReactNode } from "react";

export function SettingsPanel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="panel grid max-w-3xl grid-cols-[minmax(0,1fr)] justify-items-start gap-2 p-4"
    >
      <h2 className="font-semibold">{title}</h2>
      {children}
    </section>
  );
}
