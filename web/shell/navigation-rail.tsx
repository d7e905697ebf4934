import {
  BookOpenText,
  Bot,
  Boxes,
  GitCompareArrows,
  Keyboard,
  ListChecks,
  MessagesSquare,
  Plus,
  Settings,
  type LucideIcon,
} from "lucide-react";
import { Link, useLocation } from "wouter";
import { ThemeButton } from "./theme.tsx";

/** A rail on the left; on a phone, a bar at the bottom. */
export function NavigationRail({ onHelp }: { onHelp: () => void }) {
  const [path] = useLocation();
  return (
    <nav
      aria-label="Main"
      className="no-print fixed inset-x-0 bottom-0 z-20 flex border-t max-sm:overflow-x-auto border-line bg-surface pb-[env(safe-area-inset-bottom)] sm:sticky sm:inset-auto sm:top-0 sm:h-dvh sm:w-20 sm:shrink-0 sm:flex-col sm:overflow-y-auto sm:gap-1 sm:border-t-0 sm:border-r sm:p-2 lg:w-44"
    >
      <Link
        href="/runs"
        className="mb-2 hidden items-center gap-2 rounded-md p-2 font-semibold tracking-tight text-ink max-lg:justify-center sm:flex"
      >
        <img src="/icon.svg" alt="" width={22} height={22} />
        <span className="max-lg:sr-only">Rehearsal</span>
      </Link>
      {railEntries.map((entry) => (
        <RailLink key={entry.href} entry={entry} current={isCurrent(entry, path)} />
      ))}
      <div className="hidden sm:[margin-top:auto] sm:flex sm:flex-col sm:gap-1">
        <ThemeButton />
        <button type="button" onClick={onHelp} className="rail-item max-sm:hidden">
          <Keyboard aria-hidden size={18} />
          <span>Shortcuts</span>
        </button>
      </div>
    </nav>
  );
}

const isCurrent = ({ href, covers = [] }: RailEntry, path: string): boolean =>
  path === href || path.startsWith(`${href}/`) || covers.includes(path);

interface RailEntry {
  readonly href: string;
  /** Screens that are reached from this one and have no entry. */
  readonly covers?: readonly string[];
  readonly label: string;
  readonly icon: LucideIcon;
}

/** A new screen needs an entry here and a route in app.tsx. */
const railEntries: readonly RailEntry[] = [
  { href: "/runs", covers: ["/history", "/review"], label: "Runs", icon: ListChecks },
  { href: "/new", label: "New run", icon: Plus },
  { href: "/compare", covers: ["/rank"], label: "Compare", icon: GitCompareArrows },
  { href: "/scenarios", label: "Scenarios", icon: BookOpenText },
  { href: "/chat", label: "Chat", icon: MessagesSquare },
  { href: "/agents", label: "Agent", icon: Bot },
  { href: "/models", covers: ["/connect"], label: "Models", icon: Boxes },
  { href: "/settings", label: "Settings", icon: Settings },
];

function RailLink({ entry, current }: { entry: RailEntry; current: boolean }) {
  const Icon = entry.icon;
  return (
    <Link href={entry.href} aria-current={current ? "page" : undefined} className="rail-item">
      <Icon aria-hidden size={18} />
      <span>{entry.label}</span>
    </Link>
  );
}
