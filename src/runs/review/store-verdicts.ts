import { compact } from "../../base/compact.ts";
import { ServiceError, type FieldError } from "../../contract/errors/errors.ts";
import type { RunRecord, SkipRecord, Store, VerdictKey, VerdictRecord } from "../../contract/ports/store.ts";
import type {
  HumanVerdict,
  StoredVerdicts,
  VerdictInput,
  VerdictsRequest,
} from "../../contract/schemas/judging/human-verdict.ts";
import type { Scenario } from "../../contract/schemas/scenario.ts";
import { FormatError } from "../../formats/scenario-file.ts";
import { parseVerdictFile } from "../../formats/verdict-file.ts";
import { invalidFieldsError, refuseInvalid } from "../plan/fields-error.ts";
import { getOwnedRun, requireEndedRun, runGoneError } from "../stored/find-run.ts";
import { readScoredTurns, toReviewedReplies } from "./judged-replies.ts";
import {
  isSampled,
  preferenceName,
  preferenceQuestion,
  questionAt,
  questionsOfRun,
  replyKey,
  toTurnVerdict,
  type AskedQuestion,
} from "../stored/reply-verdicts.ts";

/** Who stores verdicts. */
export interface VerdictAuthor {
  /** The rater of verdicts that name none. */
  readonly name: string | undefined;
  /** True: stores verdicts of this name only, and decides no conflicts. */
  readonly isBound: boolean;
}

/** Refuses a name that a key does not stand for: agreement between raters would else be made by one of them. */
export function requireOwnName({ name, isBound }: VerdictAuthor, rater: string | undefined): void {
  if (!isBound || rater === undefined || rater === name) return;
  throw new ServiceError("scope_missing", `This key gives verdicts as ${name}, not as ${JSON.stringify(rater)}.`, {
    hint: "Leave out rater, or use a key with the scope verdicts:adjudicate, which may store verdicts of others.",
  });
}

/** Checks and stores verdicts of people: all of them, or none. */
export async function storeVerdicts(
  store: Store,
  run: RunRecord,
  { request, author, now }: { readonly request: VerdictsRequest; readonly author: VerdictAuthor; readonly now: number },
): Promise<StoredVerdicts> {
  requireEndedRun(run, "its replies cannot be judged yet");
  const { rows, skipped } = toVerdictRows(request);
  for (const { verdict } of rows) {
    requireOwnName(author, verdict.rater ?? request.rater);
    if (author.isBound && verdict.adjudication) {
      throw new ServiceError("scope_missing", "An adjudication needs a key with the scope verdicts:adjudicate.");
    }
  }
  const scenarios = await store.runs.scenarios(run.id);
  const context = {
    questions: questionsOfRun(run, scenarios),
    scenarios,
    request,
    rater: author.name,
    now,
    places: new Map(scenarios.map(({ id }, index) => [id, index])),
  };
  const problems: FieldError[] = [];
  const put = new Map<string, VerdictRecord>();
  const withdraw: VerdictKey[] = [];
  const skip: SkipRecord[] = [];
  const others = new Set<string>();
  for (const { at, verdict } of rows) {
    const read = toRecord(verdict, context);
    if ("skip" in read) skip.push(...read.skip);
    // A row of a file without a choice need not name a reply.
    else if ("problem" in read)
      problems.push(...(verdict.skipped && request.text !== undefined ? [] : [at(read.problem)]));
    else if (read.record === null) withdraw.push(read.key);
    else put.set(JSON.stringify(read.key), read.record);
    if (verdict.against !== undefined) others.add(verdict.against);
  }
  refuseInvalid(problems);
  for (const other of others) await getOwnedRun(store, other, run.owner);
  await refuseMissingReplies(store, run, { scenarios, rows, records: [...put.values()] });
  if (!(await store.verdicts.change(run.id, { put: [...put.values()], withdraw, skip }))) throw runGoneError(run.id);
  const unsaid = rows.filter(
    ({ verdict }) =>
      (verdict.sampling ?? request.sampling) === undefined && verdict.choice !== null && !verdict.skipped,
  ).length;
  const warnings = unsaid === 0 ? [] : [{ pointer: "/sampling", message: pickedText(unsaid) }];
  return compact({
    stored: put.size,
    withdrawn: withdraw.length,
    skipped,
    warnings: warnings.length > 0 ? warnings : undefined,
  });
}

const pickedText = (count: number): string =>
  `is missing, so ${count === 1 ? "1 verdict counts" : `${count} verdicts count`} as picked and ${count === 1 ? "corrects" : "correct"} no score. It is random if the replies are a random part of the run, else the order of the review that handed them out.`;

interface SentVerdict {
  readonly verdict: VerdictInput;
  /** The error with the place of the verdict in the request or the file. */
  readonly at: (problem: FieldError) => FieldError;
}

function toVerdictRows({ verdicts = [], text }: VerdictsRequest): { rows: readonly SentVerdict[]; skipped: number } {
  if (text === undefined) {
    const rows = verdicts.map((verdict, index) => ({
      verdict,
      at: (problem: FieldError) => ({ ...problem, pointer: `/verdicts/${index}${problem.pointer}` }),
    }));
    return { rows, skipped: 0 };
  }
  try {
    const { rows, skipped } = parseVerdictFile(text);
    return {
      skipped,
      rows: rows.map(({ line, verdict }) => ({
        verdict,
        at: ({ pointer, message, ...problem }) => ({
          ...problem,
          pointer: "/text",
          message: `line ${line}: ${pointer.slice(1)} ${message}`,
        }),
      })),
    };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw invalidFieldsError([{ pointer: "/text", code: "invalid", message: error.message }]);
  }
}

interface ReadContext {
  readonly questions: readonly AskedQuestion[];
  readonly scenarios: readonly Scenario[];
  readonly places: ReadonlyMap<string, number>;
  readonly request: VerdictsRequest;
  readonly rater: string | undefined;
  readonly now: number;
}

type ReadVerdict =
  | { readonly skip: readonly SkipRecord[] }
  | { readonly problem: FieldError }
  | { readonly key: VerdictKey; readonly record: VerdictRecord | null };

const problem = (pointer: string, message: string): { problem: FieldError } => ({
  problem: { pointer, code: "invalid_value", message },
});

function toRecord(
  sent: VerdictInput,
  { questions, scenarios, places, request, rater: caller, now }: ReadContext,
): ReadVerdict {
  const rater = sent.rater ?? request.rater ?? caller;
  if (rater === undefined) return problem("/rater", "is missing: name the person who gave the verdict");
  const scenario_index = places.get(sent.scenario_id);
  const scenario = scenarios[scenario_index ?? -1];
  if (scenario_index === undefined || !scenario) return problem("/scenario_id", "is not a scenario of this run");
  const found = findQuestion(questions, { name: sent.question ?? request.question, against: sent.against });
  if ("problem" in found) return found;
  const turn_index = turnOf(sent, scenario, found);
  if (typeof turn_index === "string") return problem("/turn_index", turn_index);
  const question = questionAt(found, { scenario_index, turn_index });
  if (!question) return problem("/turn_index", `is a turn that ${found.name} is not asked about`);
  const { attempt, against = "", adjudication = false } = sent;
  const key = { scenario_index, attempt, turn_index, question: found.name, against, rater, adjudication };
  const sampling = sent.sampling ?? request.sampling ?? "picked";
  if (sent.skipped) {
    const { adjudication: _, ...place } = key;
    // Only what was drawn at random says something about the rest by being skipped.
    return { skip: isSampled(sampling) ? [{ ...place, sampling, asked: question.asked, skipped_at: now }] : [] };
  }
  if (sent.choice === null) return { key, record: null };
  const answer = verdictAnswer(sent, question);
  if (!answer) return problem("/choice", `must be one of ${Object.keys(question.choices).join(", ")}`);
  const comment = sent.comment?.trim() ? sent.comment : null;
  return { key, record: { ...key, ...answer, comment, sampling, asked: question.asked, given_at: now } };
}

/** One of the run's questions by name; the first one by default. */
export function findQuestion(
  questions: readonly AskedQuestion[],
  { name, against }: { readonly name: string | undefined; readonly against: string | undefined },
): AskedQuestion | { readonly problem: FieldError } {
  if (name === preferenceName && against === undefined)
    return problem("/against", "is missing: name the run that the replies were compared with");
  if (against !== undefined) {
    if (name !== undefined && name !== preferenceName) return problem("/against", `is only for ${preferenceName}`);
    return preferenceQuestion;
  }
  const found = name === undefined ? questions[0] : questions.find((question) => question.name === name);
  const known = [...questions.map((question) => question.name), preferenceName];
  return found ?? problem("/question", `must be one of ${known.join(", ")}`);
}

function turnOf(
  { turn_index, interaction_id }: VerdictInput,
  { interactions }: Scenario,
  { scope }: AskedQuestion,
): number | string {
  const last = interactions.length - 1;
  if (scope === "conversation") {
    if (turn_index === undefined || turn_index === last) return last;
    return `must be ${last}, the last turn: the question is about the whole conversation`;
  }
  const named = interaction_id === undefined ? -1 : interactions.findIndex(({ id }) => id === interaction_id);
  if (turn_index === undefined && interaction_id !== undefined && named === -1)
    return `is missing, and interaction_id is not a turn of the scenario`;
  const index = turn_index ?? (named === -1 && last === 0 ? 0 : named);
  if (index === -1) return `is missing: the scenario has ${interactions.length} turns`;
  return index <= last ? index : `must be at most ${last}`;
}

function verdictAnswer(
  { choice, value }: VerdictInput,
  { choices }: Pick<AskedQuestion, "choices">,
): { choice: string; value: number } | null {
  if (choice !== undefined && choice !== null) {
    const known = Object.hasOwn(choices, choice) ? choices[choice] : undefined;
    if (known !== undefined) return { choice, value: known };
    // A value without a choice is exported under its own name.
    return value !== undefined && choice === String(value) ? { choice, value } : null;
  }
  if (value === undefined) return null;
  const named = Object.entries(choices).find(([, known]) => known === value)?.[0];
  return { choice: named ?? String(value), value };
}

/** Refuses verdicts on turns that have no reply. */
async function refuseMissingReplies(
  store: Store,
  run: RunRecord,
  {
    scenarios,
    rows,
    records,
  }: { scenarios: readonly Scenario[]; rows: readonly SentVerdict[]; records: readonly VerdictRecord[] },
): Promise<void> {
  const turns = await readScoredTurns(store, run);
  const scopes = new Map(questionsOfRun(run, scenarios).map(({ name, scope }) => [name, scope]));
  const answered = { turn: new Set<string>(), conversation: new Set<string>() };
  for (const scope of ["turn", "conversation"] as const)
    for (const reply of toReviewedReplies(turns, { question: { ...preferenceQuestion, scope }, scenarios }))
      answered[scope].add(replyKey(reply));
  const missing = records.find(
    (record) =>
      !answered[scopes.get(record.question) === "conversation" ? "conversation" : "turn"].has(replyKey(record)),
  );
  if (!missing) return;
  const { scenario_index, attempt, turn_index } = missing;
  const id = scenarios[scenario_index]?.id;
  const sent = rows.find(({ verdict }) => verdict.scenario_id === id && verdict.attempt === attempt);
  const error = {
    pointer: "/attempt",
    code: "invalid_value",
    message: `scenario ${JSON.stringify(id?.slice(0, 80))} has no reply in attempt ${attempt}, turn_index ${turn_index}`,
  };
  throw invalidFieldsError([sent?.at(error) ?? error]);
}

/** Verdicts as clients see them. */
export async function listVerdicts(
  store: Store,
  run: RunRecord,
  { question, rater }: { readonly question?: string | undefined; readonly rater?: string | undefined } = {},
): Promise<HumanVerdict[]> {
  const [records, scenarios] = [await store.verdicts.ofRun(run.id), await store.runs.scenarios(run.id)];
  return records
    .filter((record) => question === undefined || record.question === question)
    .filter((record) => rater === undefined || record.rater === rater)
    .map((record) => ({
      scenario_id: scenarios[record.scenario_index]?.id ?? "",
      attempt: record.attempt,
      turn_index: record.turn_index,
      ...toTurnVerdict(record),
    }));
}
