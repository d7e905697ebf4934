import type { Run } from "../../src/contract/schemas/run.ts";
import { formatGuess } from "../parts/format.ts";
import { isEnded } from "../parts/run-state.ts";
import { useNow } from "../parts/use-now.ts";
import { timeLeft } from "./time-left.ts";

/** How long a run will still take, at the pace it had so far. */
export function TimeLeftNote({ run }: { run: Run }) {
  const live = !isEnded(run.state) && !run.interrupted;
  const now = useNow(live ? 1000 : 0);
  const left = live ? timeLeft(run, now) : null;
  if (left === null) return null;
  return <span className="tabular-nums">{formatGuess(left)} left</span>;
}
