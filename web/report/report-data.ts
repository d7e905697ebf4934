import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { Run } from "../../src/contract/schemas/run.ts";

/** What a report holds. */
interface ReportData {
  readonly run: Run;
  readonly results: EvaluationResponse;
}

let data: ReportData | undefined;

/** The data the file was filled with. */
export function reportData(): ReportData {
  data ??= JSON.parse(document.getElementById("report-data")?.textContent ?? "") as ReportData;
  return data;
}
