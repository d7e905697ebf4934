import { Link } from "wouter";
import { usePathname } from "wouter/use-browser-location";
import { formatInteger } from "../parts/format.ts";

const tabs = ["scenarios", "scores", "failures", "details"] as const;
export type RunTab = (typeof tabs)[number];

export const readTab = (value: string | null): RunTab => tabs.find((tab) => tab === value) ?? "scenarios";

const labels: Record<RunTab, string> = {
  scenarios: "Scenarios",
  scores: "Scores",
  failures: "Failed requests",
  details: "Details",
};

/** Links, so that every view has an address. */
export function RunTabs({ tab, failures }: { tab: RunTab; failures: number }) {
  const path = usePathname();
  return (
    <nav aria-label="Views of the run" className="-mb-1 flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map((name) => (
        <Link
          key={name}
          href={name === "scenarios" ? path : `${path}?tab=${name}`}
          aria-current={name === tab ? "page" : undefined}
          className="border-b-2 border-transparent px-3 py-2 text-sm font-medium whitespace-nowrap text-soft no-underline hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
        >
          {labels[name]}
          {name === "failures" && failures > 0 && <span className="ml-1 text-bad">! {formatInteger(failures)}</span>}
        </Link>
      ))}
    </nav>
  );
}
