import { Link } from "wouter";
import type { RailEntry } from "./rail-entries.ts";

export function RailLink({ entry, current }: { entry: RailEntry; current: boolean }) {
  const Icon = entry.icon;
  return (
    <Link
      href={entry.href}
      aria-current={current ? "page" : undefined}
      className={`rail-item ${entry.large ? "max-sm:hidden" : ""}`}
    >
      <Icon aria-hidden size={18} />
      <span>{entry.label}</span>
    </Link>
  );
}
