import { isRecord, type JsonRecord } from "../base/json.ts";
import { ScenarioInput } from "../contract/schemas/scenario.ts";
import { validationMessage } from "../contract/schemas/validation-message.ts";
import { contentHash } from "./content-hash.ts";
import { pointerTo, scalarText } from "./records.ts";
import type { ScenarioDraft, TurnDraft } from "./scenario-draft.ts";
import type { Check, FileScenario, ImportResult, Note, Place } from "./scenario-file.ts";

/** Takes what an importer finds, gives ids, checks against the contract and writes down what did not cross over. */
export interface ScenarioCollector {
  note(kind: Note["kind"], place: Place, message: string): void;
  add(draft: ScenarioDraft): void;
  finish(): Omit<ImportResult, "format" | "reason">;
}

export function createScenarioCollector(): ScenarioCollector {
  const scenarios: FileScenario[] = [];
  const checks: Check[] = [];
  const notes: Note[] = [];
  const register = createIdRegister();
  // What one place of a file says about many scenarios is noted once.
  const noted = new Set<string>();

  const note: ScenarioCollector["note"] = (kind, { file, line, pointer }, message) => {
    const key = JSON.stringify([file, line, pointer, message]);
    if (noted.has(key)) return;
    noted.add(key);
    notes.push({
      kind,
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
      ...(pointer && { pointer }),
      message,
    });
  };
  return {
    note,
    add(draft) {
      if (draft.turns.length === 0) return note("dropped", draft.place, "the item has no user turn");
      const id = takeId({
        wanted: usableId(draft.id) ?? hashedId(draft),
        given: draft.id,
        register,
        note,
        place: draft.place,
      });
      const scenario = toScenario(draft, id, note);
      if (!scenario) return;
      scenarios.push(scenario);
      for (const check of checksOf(draft, scenario)) checks.push(check);
    },
    finish: () => ({ scenarios, checks, notes }),
  };
}

type NoteDown = ScenarioCollector["note"];

interface IdRequest {
  readonly wanted: string;
  readonly given: unknown;
  readonly register: (wanted: string) => string;
  readonly note: NoteDown;
  readonly place: Place;
}

function takeId({ wanted, given, register, note, place }: IdRequest): string {
  const id = register(wanted);
  const source = scalarText(given);
  if (source !== undefined && source.trim() !== "" && source !== wanted) {
    note(
      "changed",
      place,
      `the id ${JSON.stringify(source.slice(0, 80))} is not usable as it is; it became "${wanted}"`,
    );
  }
  if (id !== wanted) note("changed", place, `the id "${wanted}" occurs more than once; this one became "${id}"`);
  return id;
}

function toScenario(draft: ScenarioDraft, id: string, note: NoteDown): FileScenario | undefined {
  const register = createIdRegister();
  const interactions = draft.turns.map((turn, index) => toInteraction({ draft, turn, index, register, note }));
  const parsed = ScenarioInput.safeParse(
    {
      id,
      description: draft.description ?? "",
      interactions,
      ...(draft.tags && draft.tags.length > 0 && { tags: draft.tags }),
    },
    { reportInput: true, error: validationMessage },
  );
  if (parsed.success) return { ...parsed.data, ...(draft.system && { system_prompt: draft.system }) };
  for (const issue of parsed.error.issues) {
    const pointer = pointerTo(draft.place.pointer, ...issue.path.map(String));
    note("dropped", { ...draft.place, pointer }, `the scenario is not valid: ${nameOf(issue.path)} ${issue.message}`);
  }
  return undefined;
}

/** The field itself, or the list it is an item of. */
function nameOf(path: readonly PropertyKey[]): string {
  return String(path.findLast((step) => typeof step === "string") ?? "it");
}

interface InteractionSource {
  readonly draft: ScenarioDraft;
  readonly turn: TurnDraft;
  readonly index: number;
  readonly register: (wanted: string) => string;
  readonly note: NoteDown;
}

function toInteraction({ draft, turn, index, register, note }: InteractionSource): object {
  const place = { ...draft.place, pointer: pointerTo(draft.place.pointer, "interactions", index) };
  const labels = (record: JsonRecord | undefined): JsonRecord => {
    const { value, losses } = toJsonRecord(record ?? {});
    for (const loss of losses) note("changed", place, `label ${loss.pointer.slice(1)}: ${loss.message}`);
    return value;
  };
  return {
    id: takeId({ wanted: usableId(turn.id) ?? `turn-${index + 1}`, given: turn.id, register, note, place }),
    user_message: turn.user,
    agent_reply: turn.reply ?? "",
    reference_reply: turn.reference ?? "",
    ...(turn.references && turn.references.length > 0 && { references: turn.references }),
    ...(turn.type && { interaction_type: turn.type }),
    reference_metadata: labels(turn.labels),
    ...(turn.checks && turn.checks.length > 0 && { checks: turn.checks }),
    generated_metadata: labels(turn.generated),
  };
}

function checksOf(draft: ScenarioDraft, scenario: FileScenario): Check[] {
  return draft.turns.flatMap((turn, index) => {
    const interaction_id = scenario.interactions[index]?.id ?? "";
    return (turn.unchecked ?? []).map((check) => ({ scenario_id: scenario.id, interaction_id, ...check }));
  });
}

const forbidden = new Set(["__proto__", "constructor", "prototype"]);

interface JsonCopy {
  readonly value: JsonRecord;
  /** What had to go or change on the way, with its pointer below the record. */
  readonly losses: readonly { readonly pointer: string; readonly message: string }[];
}

/** A copy that is JSON through and through: no key that could reach a prototype, no number JSON cannot write. */
function toJsonRecord(record: JsonRecord): JsonCopy {
  const losses: { pointer: string; message: string }[] = [];
  const copy = (value: unknown, pointer: string): unknown => {
    if (typeof value === "number" && !Number.isFinite(value)) {
      losses.push({ pointer, message: `${value} is not a JSON number; kept as text` });
      return String(value);
    }
    if (Array.isArray(value))
      return value.map((entry: unknown, index) => copy(entry ?? null, pointerTo(pointer, index)));
    if (!isRecord(value)) return typeof value === "bigint" ? String(value) : value;
    const kept = Object.entries(value).filter(([key, entry]) => {
      if (forbidden.has(key))
        losses.push({ pointer: pointerTo(pointer, key), message: `the key ${key} is not allowed` });
      return !forbidden.has(key) && entry !== undefined;
    });
    return Object.fromEntries(kept.map(([key, entry]) => [key, copy(entry, pointerTo(pointer, key))]));
  };
  return { value: copy(record, "") as JsonRecord, losses };
}

const longest = 256;

/** A source's own id made fit for the contract, or undefined when it has none. */
function usableId(value: unknown): string | undefined {
  const text = scalarText(value)
    ?.replace(/\p{Cc}+/gu, " ")
    .toWellFormed();
  if (text === undefined || text.trim() === "") return undefined;
  return text.length <= longest ? text : `${cut(text, longest - 13)}-${contentHash(text)}`;
}

/** The same conversation gets the same id in every import, so that runs of it can be compared. */
function hashedId({ system, turns }: ScenarioDraft): string {
  const content = [system ?? "", turns.map(({ user, reference }) => [user, reference ?? ""])];
  return `scenario-${contentHash(JSON.stringify(content))}`;
}

/** Remembers the ids given out; a second one of a kind gets -2, the third -3. */
function createIdRegister(): (wanted: string) => string {
  const used = new Set<string>();
  const nextSuffix = new Map<string, number>();
  return (wanted) => {
    let id = wanted;
    for (let suffix = nextSuffix.get(wanted) ?? 2; used.has(id); suffix++) {
      id = `${cut(wanted, longest - 12)}-${suffix}`;
      nextSuffix.set(wanted, suffix + 1);
    }
    used.add(id);
    return id;
  };
}

/** Never through the middle of a surrogate pair. */
const cut = (text: string, length: number): string => text.slice(0, length).toWellFormed();
