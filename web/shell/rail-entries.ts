import { ListChecks, MessagesSquare, Plus, type LucideIcon } from "lucide-react";

export interface RailEntry {
  readonly href: string;
  readonly label: string;
  readonly icon: LucideIcon;
}

/** What the rail offers, in order. A new screen is a line here, one in screens.ts and a route in app.tsx. */
export const railEntries: readonly RailEntry[] = [
  { href: "/runs", label: "Runs", icon: ListChecks },
  { href: "/new", label: "New run", icon: Plus },
  { href: "/chat", label: "Chat", icon: MessagesSquare },
];
