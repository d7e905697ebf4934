import { Download } from "lucide-react";
import { runFileName } from "../../src/base/file-name.ts";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../src/contract/schemas/run.ts";
// oxlint-disable-next-line import/default -- Vite generates the default export
import MarkdownWorker from "../markdown/markdown.worker.ts?worker&inline";
import { downloadText } from "../parts/screen/downloads.tsx";
import { wordDiff, type DiffPart } from "../transcript/word-diff.ts";

/*
 * The build replaces modules that need a service, a second file or the browser's address with this one (see vite.config.ts).
 * Each export has the name and the type of the one it replaces.
 */

interface ReportData {
  readonly run: Run;
  readonly results: EvaluationResponse;
  /** Name of the run's model, if it has one besides its id. */
  readonly model_name?: string;
  readonly judged?: JudgedRun;
}

/** Gates, problems and the comparison with a baseline, as the command that made the run judged them. */
export interface JudgedRun {
  readonly judgements: readonly {
    readonly name: string;
    readonly outcome: "passed" | "failed" | "error" | "undecided" | "told";
    readonly message: string;
  }[];
  readonly scores: readonly {
    readonly name: string;
    readonly baseline: number;
    readonly candidate: number;
    readonly effect: number;
    readonly verdict: string;
  }[];
}

let data: ReportData | undefined;

/** Unpacks the run and results that `rehearsal runs export` put into the file: JSON, or gzipped JSON as base64. */
export async function loadReport(): Promise<void> {
  const text = document.getElementById("report-data")?.textContent.trim() ?? "";
  data = JSON.parse(text.startsWith("{") ? text : await unpack(text)) as ReportData;
}

async function unpack(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

export function reportData(): ReportData {
  if (!data) throw new Error("The report is not loaded.");
  return data;
}

const loaded = { error: null, isError: false, isPending: false, refetch: () => Promise.resolve() };

export const useRun = () => ({ ...loaded, data: reportData().run });

export const useResults = () => ({ ...loaded, data: reportData().results });

export const useScenarioResults = useResults;

export const useScoreSoFar = () => ({ ...loaded, data: undefined });

export const isLarge = (): boolean => false;

export const useDigest = () => ({ digest: undefined, error: null, read: 0, refetch: () => undefined });

export const useLiveRun = (): void => undefined;

/** A report cannot ask the service for model names: it has that of its run. */
export const useModelName = () => (id: string) => {
  const { run, model_name } = reportData();
  return id === run.model_id ? (model_name ?? id) : id;
};

/** The worker's code is inlined: a report is a single file. */
export const startMarkdownWorker = (): Worker => new MarkdownWorker();

/** Runs on the main thread, within the same time limit: a worker would be a second copy of the code. */
export const diffInWorker = async (reference: string, reply: string): Promise<DiffPart[] | null> =>
  wordDiff(reference, reply);

export function ResultsFile() {
  const { run, results } = reportData();
  return (
    <button
      type="button"
      className="button"
      onClick={() => downloadText(`${runFileName(run)}.json`, JSON.stringify(results, null, 2), "application/json")}
    >
      <Download aria-hidden size={14} /> All results (JSON)
    </button>
  );
}

export const AcrossRuns = () => null;
export const CorrectedMeans = () => null;
export const EditScenarioLink = () => null;
export const JudgeReply = () => null;
export const PagedGrid = () => null;
export const PeopleAgreement = () => null;
export const RunActions = () => null;
export const RequestSettings = () => null;
export const RunShownAgain = () => null;

/** In place of the sequence, which is read from the service. */
export default function NoSequencePanel() {
  return null;
}
