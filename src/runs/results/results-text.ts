import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { RunRecord, Store } from "../../contract/ports/store.ts";
import type { AttemptResult } from "../../contract/schemas/evaluation-response.ts";
import type { Run } from "../../contract/schemas/run.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { toAttemptResults } from "./attempt-result.ts";
import { responseDetails, isListedAttempt, readParts, listedReference, type ReadPart } from "./read-results.ts";
import { createFiguresOfRun } from "./run-figures.ts";
import { toRun } from "./to-run.ts";

const placeholder = "__REHEARSAL_REPORT_DATA__";

interface ReportContent {
  readonly run: Run;
  readonly results: AsyncIterable<string>;
  readonly model_name?: string | undefined;
  /** Gates, problems and the comparison of a run that a command judged. */
  readonly judged?: object | null | undefined;
}

/**
 * The single-file viewer with a run inside, in chunks. The data is compressed and written as base64, in which no model text can
 * close the element that holds it.
 */
export async function* writeReport(
  template: string,
  { run, results, model_name, judged }: ReportContent,
): AsyncGenerator<string> {
  const [before, after] = template.split(placeholder);
  if (before === undefined || after === undefined) throw new Error("The report template has no place for the data");
  const named = model_name === undefined ? "" : `"model_name":${JSON.stringify(model_name)},`;
  const verdict = judged ? `"judged":${JSON.stringify(judged)},` : "";
  async function* data(): AsyncGenerator<string> {
    yield `{"run":${JSON.stringify(run)},${named}${verdict}"results":`;
    yield* results;
    yield "}";
  }
  yield before;
  yield* toBase64(Readable.from(data()).pipe(createGzip()));
  yield after;
}

/** Base64 of a stream of bytes; each piece but the last encodes a multiple of three bytes. */
async function* toBase64(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const joined = Buffer.concat([rest, chunk]);
    const length = joined.length - (joined.length % 3);
    rest = joined.subarray(length);
    yield joined.toString("base64", 0, length);
  }
  yield rest.toString("base64");
}

/** Approximate chunk length: yielding each turn by itself would take longer than writing it. */
const pieceLength = 64 * 1024;

/**
 * The evaluation response of a run in chunks of JSON. One attempt is in memory at a time, so runs of any size can be read. A run
 * that has not ended yields the results stored so far.
 */
export async function* writeResults(
  run: RunRecord,
  { store, now, scenarioId }: { store: Store; now: () => number; scenarioId?: string | undefined },
): AsyncGenerator<string> {
  const scenarios = await store.runs.scenarios(run.id);
  const figures = createFiguresOfRun(run.settings, scenarios);
  const versions = new Set<string>();
  yield `{"message":${JSON.stringify(toRun(run).message)},"results":{"scenarios":[`;
  const parts = readParts(run, { store, scenarioId, figures, versions, scenarios });
  yield* toPieces(parts, { run, store });
  yield `]},${JSON.stringify(responseDetails(run, { now, figures, versions })).slice(1)}`;
}

async function* toPieces(
  parts: AsyncIterable<ReadPart>,
  { run, store }: { run: RunRecord; store: Store },
): AsyncGenerator<string> {
  let text = "";
  let scenarios = 0;
  let attempts: number | null = null;
  let hasReferences = false;
  for await (const part of parts) {
    const { scenario, results } = part;
    if (attempts === null) text += `${scenarios++ > 0 ? "," : ""}${scenarioHead(scenario)},"attempts":[`;
    attempts ??= 0;
    if (results) {
      hasReferences ||= listedReference(results) !== null;
      if (!isListedAttempt(results.attempt, run.settings)) continue;
      if (attempts++ > 0) text += ",";
      for (const piece of resultPieces(results.attempt)) {
        text += piece;
        if (text.length < pieceLength) continue;
        yield text;
        text = "";
      }
      continue;
    }
    const { scenario_id: _, description: __, ...rest } = part.about;
    text += `],${JSON.stringify(rest).slice(1, -1)}`;
    if (hasReferences) {
      yield text;
      text = "";
      yield* referencePieces(run, { store, scenario, index: part.index });
    }
    text += "}";
    attempts = null;
    hasReferences = false;
  }
  yield text;
}

const scenarioHead = ({ id, description }: Scenario): string =>
  JSON.stringify({ scenario_id: id, description }).slice(0, -1);

/** An attempt in chunks of JSON, so that a long one does not block the event loop. */
function* resultPieces({ attempt, interactions, ...rest }: AttemptResult): Generator<string> {
  let text = `{"attempt":${attempt},"interactions":[`;
  for (const [index, interaction] of interactions.entries()) {
    text += (index > 0 ? "," : "") + JSON.stringify(interaction);
    if (text.length < pieceLength) continue;
    yield text;
    text = "";
  }
  yield `${text}],${JSON.stringify(rest).slice(1)}`;
}

/** Reference attempts follow all attempts of their scenario, so they are read a second time instead of being held. */
async function* referencePieces(
  { id, settings }: RunRecord,
  { store, scenario, index }: { store: Store; scenario: Scenario; index: number },
): AsyncGenerator<string> {
  let before = `,"reference_attempts":[`;
  for await (const attempt of store.attempts.withInteractions(id, index)) {
    const reference = listedReference(toAttemptResults(attempt, { scenario, settings }));
    if (!reference) continue;
    yield before;
    before = ",";
    yield* resultPieces(reference);
  }
  if (before === ",") yield "]";
}
