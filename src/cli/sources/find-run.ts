import type { Run } from "../../contract/schemas/run.ts";
import { CliError } from "../cli-error.ts";
import { counted } from "../terminal/figures.ts";
import { newestRuns } from "./newest-runs.ts";
import type { RunSource } from "./run-source.ts";

/** For whoever looks in another folder than the one they worked in. */
export const whereRunsAre =
  "rehearsal eval makes one and keeps it in .rehearsal of the folder it is called in; --data-dir names another";

const wholeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const place = /^latest(?:~(\d{1,3}))?$/;

/**
 * The run somebody means: its id, the beginning or end of it, `latest`, `latest~1` for the one before, or the name of a test,
 * whose newest run is taken.
 */
export async function findRun(source: RunSource, text: string): Promise<string> {
  if (wholeId.test(text)) return text.toLowerCase();
  const back = place.exec(text);
  if (back) return nthNewest(source, Number(back[1] ?? 0));

  const matches = /^[0-9a-f-]{4,35}$/i.test(text) ? await withPart(source, text.toLowerCase()) : [];
  if (matches.length > 1) {
    throw new CliError(`"${text}" stands for several runs: ${matches.map(({ run_id }) => run_id).join(", ")}`);
  }
  const [only] = matches;
  if (only) return only.run_id;
  const [named] = (await source.list({ test_name: text, limit: 1 })).runs;
  if (named) return named.run_id;
  throw new CliError(`there is no run "${text}" (rehearsal list shows what there is)`);
}

async function nthNewest(source: RunSource, back: number): Promise<string> {
  const runs = await newestRuns(source, back + 1);
  const run = runs[back];
  if (!run && runs.length === 0) throw new CliError(`there are no runs here yet (${whereRunsAre})`);
  if (!run) throw new CliError(`latest~${back} goes too far back (${counted(runs.length, "run")} here)`);
  return run.run_id;
}

/** The time is at the beginning of an id and chance at its end, so people may use either. */
async function withPart(source: RunSource, part: string): Promise<Run[]> {
  const matches: Run[] = [];
  let cursor: string | null = null;
  do {
    const page = await source.list({ limit: 200, ...(cursor !== null && { cursor }) });
    matches.push(...page.runs.filter(({ run_id }) => run_id.startsWith(part) || run_id.endsWith(part)));
    cursor = page.next_cursor;
  } while (cursor !== null && matches.length < 2);
  return matches;
}
