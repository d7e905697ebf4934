import { compact } from "../../base/compact.ts";
import { counted } from "../../base/text.ts";
import type { EvaluationInput, RescoreInput, VerdictsInput } from "../../client/evaluation-client.ts";
import type { RunFilter } from "../../contract/ports/store.ts";
import type { RunComparison } from "../../contract/schemas/comparison.ts";
import type { RunEstimate } from "../../contract/schemas/budget.ts";
import type { FreezeRequest, FrozenConversation } from "../../contract/schemas/library.ts";
import type { Experiment } from "../../contract/schemas/experiment.ts";
import type { EvaluationResponse } from "../../contract/schemas/evaluation-response.ts";
import type {
  Agreement,
  Corrections,
  StoredVerdicts,
  VerdictList,
} from "../../contract/schemas/judging/human-verdict.ts";
import type { Run, RunList } from "../../contract/schemas/run.ts";
import { CliError } from "../terminal/cli-error.ts";

export type RunQuery = Omit<RunFilter, "owner" | "limit" | "search_model_ids"> & { readonly limit?: number };

/** Runs to read and manage: those of this machine, or of a service. */
export interface RunSource extends AsyncDisposable {
  list(query: RunQuery): Promise<RunList>;
  get(runId: string): Promise<Run>;
  results(runId: string): Promise<EvaluationResponse>;
  /** A scripted scenario with the user's messages of one attempt. */
  freeze(runId: string, request: FreezeRequest): Promise<Pick<FrozenConversation, "scenario">>;
  /** Estimates calls, tokens, money and time. Calls no model. */
  estimate(request: EvaluationInput): Promise<RunEstimate>;
  rescore(
    runId: string,
    options: { readonly askModels: boolean; readonly replace: RescoreInput; readonly signal: AbortSignal },
  ): Promise<Run>;
  verdicts(runId: string): Promise<VerdictList>;
  /** Stores verdicts: all of them, or none. */
  storeVerdicts(runId: string, request: VerdictsInput): Promise<StoredVerdicts>;
  agreement(runId: string, options: { readonly question?: string | undefined }): Promise<Agreement>;
  corrections(runId: string): Promise<Corrections>;
  /** Compares two runs as the service does, with the corrections by people's verdicts. */
  compare(baseline: string, candidate: string): Promise<RunComparison>;
  /** The variants of an experiment side by side. */
  experiment(id: string, query: { readonly score?: string | undefined }): Promise<Experiment>;
  cancel(runId: string): Promise<Run>;
  delete(runId: string): Promise<void>;
}

/** The largest page a service returns. */
const pageSize = 200;

/** The newest runs that match the query, up to `count`, over several pages if needed. */
export async function newestRunsOf(
  source: Pick<RunSource, "list">,
  count: number,
  query: Omit<RunQuery, "limit" | "cursor"> = {},
): Promise<Run[]> {
  const runs: Run[] = [];
  let cursor: string | null = null;
  do {
    const limit = Math.min(count - runs.length, pageSize);
    const page = await source.list(compact({ ...query, limit, cursor: cursor ?? undefined }));
    runs.push(...page.runs);
    cursor = page.next_cursor;
  } while (cursor !== null && runs.length < count);
  return runs;
}

/** A hint for users who look in another folder than the one they worked in. */
export const whereRunsAre =
  "rehearsal eval stores its runs in .rehearsal in the current folder; --data-dir names another folder";

const wholeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const latestForm = /^latest(?:~(\d{1,3}))?$/;

/**
 * Resolves the id of a run from its id, the beginning or end of it, `latest`, `latest~1` for the run before, or a test's
 * name, which means its newest run.
 */
export async function resolveRunId(source: RunSource, text: string): Promise<string> {
  if (wholeId.test(text)) return text.toLowerCase();
  const back = latestForm.exec(text);
  if (back) return nthNewest(source, Number(back[1] ?? 0));

  const matches = /^[0-9a-f-]{4,35}$/i.test(text) ? await runsWithIdPart(source, text.toLowerCase()) : [];
  if (matches.length > 1) {
    throw new CliError(`"${text}" matches several runs: ${matches.map(({ run_id }) => run_id).join(", ")}`);
  }
  const [only] = matches;
  if (only) return only.run_id;
  const [named] = (await source.list({ test_name: text, limit: 1 })).runs;
  if (named) return named.run_id;
  throw new CliError(`there is no run "${text}" (rehearsal runs list shows all runs)`);
}

async function nthNewest(source: RunSource, back: number): Promise<string> {
  const runs = await newestRunsOf(source, back + 1);
  const run = runs[back];
  if (!run && runs.length === 0) throw new CliError(`there are no runs here yet (${whereRunsAre})`);
  if (!run) throw new CliError(`latest~${back} does not exist (${counted(runs.length, "run")} here)`);
  return run.run_id;
}

/** Ids begin with the time and end with random digits, so both ends identify a run. */
async function runsWithIdPart(source: RunSource, part: string): Promise<Run[]> {
  const matches: Run[] = [];
  let cursor: string | null = null;
  do {
    const page = await source.list(compact({ limit: 200, cursor: cursor ?? undefined }));
    matches.push(...page.runs.filter(({ run_id }) => run_id.startsWith(part) || run_id.endsWith(part)));
    cursor = page.next_cursor;
  } while (cursor !== null && matches.length < 2);
  return matches;
}
