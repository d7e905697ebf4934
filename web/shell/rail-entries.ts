import {
  BookOpenText,
  Boxes,
  GitCompareArrows,
  ListChecks,
  MessagesSquare,
  Plus,
  Settings,
  type LucideIcon,
} from "lucide-react";

export interface RailEntry {
  readonly href: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Left out of the bar on a phone; reached from Settings. */
  readonly large?: true;
}

/** What the rail offers, in order. A new screen is a line here, one in screens.ts and a route in app.tsx. */
export const railEntries: readonly RailEntry[] = [
  { href: "/runs", label: "Runs", icon: ListChecks },
  { href: "/new", label: "New run", icon: Plus },
  { href: "/compare", label: "Compare", icon: GitCompareArrows, large: true },
  { href: "/scenarios", label: "Scenarios", icon: BookOpenText },
  { href: "/chat", label: "Chat", icon: MessagesSquare },
  { href: "/models", label: "Models", icon: Boxes, large: true },
  { href: "/settings", label: "Settings", icon: Settings },
];
