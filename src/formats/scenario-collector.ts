import type { JsonRecord } from "../base/json.ts";
import { ScenarioInput } from "../contract/schemas/scenario.ts";
import { validationMessage } from "../contract/schemas/validation-message.ts";
import { createIdRegister, hashedId, usableId } from "./identifiers.ts";
import { toJsonRecord } from "./json-value.ts";
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

  const note: ScenarioCollector["note"] = (kind, { line, pointer }, message) => {
    const key = JSON.stringify([line, pointer, message]);
    if (noted.has(key)) return;
    noted.add(key);
    notes.push({ kind, ...(line !== undefined && { line }), ...(pointer && { pointer }), message });
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
