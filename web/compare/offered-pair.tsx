import type { Run } from "../../src/contract/schemas/run.ts";
import { useBaselines } from "../parts/baselines.ts";
import { runName } from "../parts/run-name.ts";
import { changeSearch } from "../parts/use-search-state.ts";
import { useRun } from "../run/use-run.ts";
import { counterpart, type Choice } from "./counterpart.ts";
import { lastPair } from "./last-pair.ts";

interface OfferedPairProps {
  readonly choice: Choice;
  readonly runs: readonly Run[];
  readonly describe: (run: Run) => string;
}

/** What to compare with one click, while not both runs are chosen. */
export function OfferedPair({ choice, runs, describe }: OfferedPairProps) {
  const id = choice.candidate || choice.baseline;
  const listed = runs.find((run) => run.run_id === id);
  const other = useRun(id, { enabled: id !== "" && !listed });
  const chosen = listed ?? other.data;
  const baselines = useBaselines();
  if (choice.baseline !== "" && choice.candidate !== "") return null;
  if (id === "") {
    const pair = lastPair(runs);
    if (!pair) return null;
    const words = `Choose two runs, or take the last two of “${runName({ test_name: pair.testName })}”.`;
    return <Offer words={words} action="Compare them" pair={pair} />;
  }
  const found = chosen && counterpart({ choice, chosen, runs, pinned: baselines[chosen.test_name]?.runId });
  if (!found) {
    return chosen ? <p className="text-sm text-soft sm:col-span-2">Choose the other run to compare it with.</p> : null;
  }
  const words = `Choose the other run, or take one of the same test: ${describe(found.run)}.`;
  return <Offer words={words} action="Compare with it" pair={found.pair} />;
}

function Offer({ words, action, pair }: { words: string; action: string; pair: Choice }) {
  return (
    <p className="panel flex flex-wrap items-center gap-3 p-4 text-sm sm:col-span-2">
      <span className="verbatim line-clamp-3">{words}</span>
      <button
        type="button"
        className="button button-primary"
        onClick={() => changeSearch({ baseline: pair.baseline, candidate: pair.candidate })}
      >
        {action}
      </button>
    </p>
  );
}
