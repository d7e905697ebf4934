import type { Scenario } from "../../src/contract/schemas/scenario.ts";
import { DiffText } from "../transcript/diff-text.tsx";
import { useWordDiff } from "../transcript/use-word-diff.ts";
import { scenarioChanges, type ScenarioChange } from "./scenario-changes.ts";

export function VersionDiff({ before, after }: { before: Scenario; after: Scenario }) {
  const changes = scenarioChanges(before, after);
  if (changes.length === 0) return <p className="text-sm text-soft">No changes: both versions say the same.</p>;
  return (
    <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {changes.map((change) => (
        <li key={change.place} className="grid grid-cols-[minmax(0,1fr)] gap-1 text-sm">
          <span className="verbatim text-xs font-semibold text-soft">{change.place}</span>
          <Change change={change} />
        </li>
      ))}
    </ul>
  );
}

function Change({ change: { before, after } }: { change: ScenarioChange }) {
  const diff = useWordDiff(before, after);
  if (diff.state === "done" && diff.parts) return <DiffText parts={diff.parts} />;
  return (
    <p className="verbatim">
      {before || "(empty)"} → {after || "(empty)"}
    </p>
  );
}
