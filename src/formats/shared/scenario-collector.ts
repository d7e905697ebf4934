import { compact } from "../../base/compact.ts";
import { isRecord, type JsonRecord } from "../../base/json.ts";
import { ScenarioInput } from "../../contract/schemas/scenario.ts";
import { validationMessage } from "../../contract/schemas/shared/validation-message.ts";
import type { RedactionRule, TracedConversation, TraceFilter } from "../../contract/schemas/acting/traces.ts";
import type { World } from "../../contract/schemas/acting/world.ts";
import { contentHash } from "./content-hash.ts";
import { pointerTo, scalarText, locationBelow } from "../documents/records.ts";
import type { ImportedScenario, ImportedTurn, ImportedVariant, Span } from "./imported-scenario.ts";
import { createRedactor } from "./redact.ts";
import type { SourceLocation } from "../documents/format-error.ts";
import type { UnmappedCheck, FileScenario, ImportResult, Note } from "../scenario-file.ts";
import { toWorld } from "./tool-calls.ts";

/** Collects imported scenarios: gives ids, validates against the contract, and records notes. */
export interface ScenarioCollector {
  /** Recorded replies and tool calls become references. */
  readonly expectsRecorded: boolean;
  /** Code in assertions becomes code of checks. */
  readonly allowsCode: boolean;
  /** Further prompts of a file become variants of its scenarios. */
  readonly makesVariants: boolean;
  /** Scenarios with unknown fields are dropped. */
  readonly isClosed: boolean;
  /** A model that the file names for its evaluation. */
  useModel(model: string): void;
  /** `subject` names such things in the plural, for a count of many notes. */
  note(kind: Note["kind"], place: SourceLocation, message: string, subject?: string): void;
  add(draft: ImportedScenario): void;
  /** Which conversations of traces are taken. */
  readonly traceFilter?: TraceFilter | undefined;
  /** Called with each conversation of traces. */
  readonly listConversation?: ((conversation: TracedConversation) => void) | undefined;
  /** Takes the spans of a file that is read with others. */
  readonly takeSpans?: ((spans: readonly Span[]) => void) | undefined;
  finish(): Omit<ImportResult, "format" | "reason">;
}

export interface CollectorOptions {
  /** Expect the replies and tool calls of recordings. Default: false. */
  readonly expectsRecorded?: boolean | undefined;
  /** Make worlds of tools and their recorded results. Default: true. */
  readonly makesWorlds?: boolean | undefined;
  /** Which conversations of traces are taken. Default: all. */
  readonly traces?: TraceFilter | undefined;
  /** Text that is replaced in every scenario. */
  readonly redact?: readonly RedactionRule[] | undefined;
  /** Added to the tags of every scenario. */
  readonly tags?: readonly string[] | undefined;
  /** Import code of assertions, which a run executes. Only for files that the user has allowed to. Default: false. */
  readonly allowsCode?: boolean | undefined;
  /** Keep recorded replies with their tool calls, for a run of protocol `recorded`. Default: calls are only in the world. */
  readonly keepsRecording?: boolean | undefined;
  /** Read further prompts of a file as variants of its scenarios. Default: only the first prompt is read. */
  readonly makesVariants?: boolean | undefined;
  /** Drop scenarios of our own format with unknown fields: without a misspelt one they would test less. Default: only a note. */
  readonly isClosed?: boolean | undefined;
}

export function createScenarioCollector({
  expectsRecorded = false,
  makesWorlds = true,
  traces,
  redact: rules,
  tags = [],
  allowsCode = false,
  makesVariants = false,
  keepsRecording = false,
  isClosed = false,
}: CollectorOptions = {}): ScenarioCollector {
  const redact = createRedactor(rules);
  const conversations: TracedConversation[] = [];
  const scenarios: FileScenario[] = [];
  const checks: UnmappedCheck[] = [];
  const notes: Note[] = [];
  const register = createIdRegister();
  const models = new Set<string>();
  const variants = new Map<string, FileScenario[]>();
  // A note about one location is recorded once, even if it concerns many scenarios.
  const noted = new Set<string>();

  const note: ScenarioCollector["note"] = (kind, { file, line, pointer }, message, subject) => {
    const key = JSON.stringify([file, line, pointer, message]);
    if (noted.has(key)) return;
    noted.add(key);
    notes.push(
      compact({
        kind,
        file,
        line,
        pointer: pointer || undefined,
        message,
        subject,
      }),
    );
  };
  return {
    expectsRecorded,
    allowsCode,
    makesVariants,
    isClosed,
    useModel: (model) => void models.add(model),
    note,
    traceFilter: traces,
    listConversation: (found) => void conversations.push(redact ? { ...redact(found), id: found.id } : found),
    add(given) {
      const tagged = tags.length === 0 ? given : { ...given, tags: [...new Set([...(given.tags ?? []), ...tags])] };
      // The place is kept: notes name it.
      const draft = redact ? { ...redact(tagged), place: tagged.place } : tagged;
      if (draft.turns.length === 0 && draft.user === undefined)
        return note("dropped", draft.place, "the item has no user turn");
      const id = claimId({
        wanted: validId(draft.id) ?? hashedId(draft),
        given: draft.id,
        register,
        note,
        place: draft.place,
      });
      const scenario = toScenario(draft, id, { note, makesWorlds, keepsRecording });
      if (!scenario) return;
      scenarios.push(scenario);
      for (const check of draftChecks(draft, scenario)) checks.push(check);
      for (const variant of draft.variants ?? []) {
        const list = variants.get(variant.name) ?? [];
        variants.set(variant.name, [...list, toVariant(scenario, variant)]);
      }
    },
    finish: () =>
      compact({
        scenarios,
        checks,
        notes,
        conversations: conversations.length > 0 ? conversations : undefined,
        models: models.size > 0 ? [...models] : undefined,
        variants: variants.size > 0 ? [...variants].map(([name, own]) => ({ name, scenarios: own })) : undefined,
      }),
  };
}

type AddNote = ScenarioCollector["note"];

interface IdRequest {
  readonly wanted: string;
  readonly given: unknown;
  readonly register: (wanted: string) => string;
  readonly note: AddNote;
  readonly place: SourceLocation;
}

function claimId({ wanted, given, register, note, place }: IdRequest): string {
  const id = register(wanted);
  const source = scalarText(given);
  if (source !== undefined && source.trim() !== "" && source !== wanted) {
    note("changed", place, `the id ${JSON.stringify(source.slice(0, 80))} is not valid; it was changed to "${wanted}"`);
  }
  if (id !== wanted)
    note("changed", place, `the id "${wanted}" is used more than once; this one was changed to "${id}"`);
  return id;
}

function toScenario(
  draft: ImportedScenario,
  id: string,
  { note, makesWorlds, keepsRecording }: { note: AddNote; makesWorlds: boolean; keepsRecording: boolean },
): FileScenario | undefined {
  const register = createIdRegister();
  const world = draft.world === undefined && makesWorlds ? worldOf(draft, note) : draft.world;
  const { value: metadata, losses } = toJsonRecord(draft.metadata ?? {});
  for (const loss of losses) note("changed", draft.place, `metadata ${loss.pointer.slice(1)}: ${loss.message}`);
  const interactions = draft.turns.map((turn, index) => ({
    ...toInteraction({ draft, turn, index, register, note }),
    ...(keepsRecording && recordingOf(turn)),
  }));
  const parsed = ScenarioInput.safeParse(
    compact({
      id,
      description: draft.description ?? "",
      interactions,
      tags: draft.tags && draft.tags.length > 0 ? draft.tags : undefined,
      metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
      world: world !== undefined && world !== null ? world : undefined,
      tool_matching: draft.matching,
      expect: draft.expect,
      user: draft.user,
    }),
    { reportInput: true, error: validationMessage },
  );
  if (parsed.success) return { ...parsed.data, ...(draft.system && { system_prompt: draft.system }) };
  for (const issue of parsed.error.issues) {
    const place = locationBelow(draft.place, ...issue.path.map(String));
    note("dropped", place, `the scenario is not valid: ${draftName(issue.path)} ${issue.message}`);
  }
  return undefined;
}

/** The same scenario in other words: its id and expectations stay, so that runs of both can be compared. */
function toVariant(given: FileScenario, { system, users }: ImportedVariant): FileScenario {
  const { system_prompt: _, ...scenario } = given;
  return compact({
    ...scenario,
    system_prompt: system || undefined,
    interactions: scenario.interactions.map((turn, index) => {
      const prompt = users[index];
      return prompt === undefined || prompt === turn.user_message ? turn : { ...turn, prompt };
    }),
  });
}

const worldOf = ({ tools = [], turns, place }: ImportedScenario, note: AddNote): World | undefined =>
  toWorld({ tools, calls: turns.flatMap(({ calls }) => calls ?? []), place, note });

/** The field, or the list that contains the item. */
function draftName(path: readonly PropertyKey[]): string {
  return String(path.findLast((step) => typeof step === "string") ?? "it");
}

interface InteractionSource {
  readonly draft: ImportedScenario;
  readonly turn: ImportedTurn;
  readonly index: number;
  readonly register: (wanted: string) => string;
  readonly note: AddNote;
}

function toInteraction({ draft, turn, index, register, note }: InteractionSource): object {
  const place = locationBelow(draft.place, "interactions", index);
  const labels = (record: JsonRecord | undefined): JsonRecord => {
    const { value, losses } = toJsonRecord(record ?? {});
    for (const loss of losses) note("changed", place, `label ${loss.pointer.slice(1)}: ${loss.message}`);
    return value;
  };
  return compact({
    id: claimId({ wanted: validId(turn.id) ?? `turn-${index + 1}`, given: turn.id, register, note, place }),
    user_message: turn.user,
    prompt: turn.prompt,
    agent_reply: turn.reply ?? "",
    ...(turn.context && turn.context.length > 0 && { context: turn.context }),
    reference_reply: turn.reference ?? "",
    references: turn.references && turn.references.length > 0 ? turn.references : undefined,
    reference_tool_calls: turn.expected,
    interaction_type: turn.type || undefined,
    reference_metadata: labels(turn.labels),
    checks: turn.checks && turn.checks.length > 0 ? turn.checks : undefined,
    generated_metadata: labels(turn.generated),
  });
}

/** The reply and the calls of a turn as they were. */
function recordingOf({ reply, reference, calls = [] }: ImportedTurn): object {
  const tool_calls = calls.map(({ id, name, arguments: given, argumentsError, result, error }, index) =>
    compact({
      id: id ?? `call-${index + 1}`,
      name,
      arguments: given ?? null,
      arguments_error: argumentsError,
      result,
      error,
    }),
  );
  return compact({ agent_reply: reply ?? reference ?? "", tool_calls: tool_calls.length > 0 ? tool_calls : undefined });
}

function draftChecks(draft: ImportedScenario, scenario: FileScenario): UnmappedCheck[] {
  return draft.turns.flatMap((turn, index) => {
    const interaction_id = scenario.interactions[index]?.id ?? "";
    return (turn.unmapped ?? []).map((check) => ({ scenario_id: scenario.id, interaction_id, ...check }));
  });
}

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);

interface JsonCopy {
  readonly value: JsonRecord;
  /** Changed or dropped values, with pointers inside the record. */
  readonly losses: readonly { readonly pointer: string; readonly message: string }[];
}

/** Copies a record as plain JSON, without keys that could reach a prototype and without non-finite numbers. */
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
      if (forbiddenKeys.has(key))
        losses.push({ pointer: pointerTo(pointer, key), message: `the key ${key} is not allowed` });
      return !forbiddenKeys.has(key) && entry !== undefined;
    });
    return Object.fromEntries(kept.map(([key, entry]) => [key, copy(entry, pointerTo(pointer, key))]));
  };
  return { value: copy(record, "") as JsonRecord, losses };
}

const longestId = 256;

/** The source's id in a valid form; undefined if it has none. */
function validId(value: unknown): string | undefined {
  const text = scalarText(value)
    ?.replace(/\p{Cc}+/gu, " ")
    .toWellFormed();
  if (text === undefined || text.trim() === "") return undefined;
  return text.length <= longestId ? text : `${cutText(text, longestId - 13)}-${contentHash(text)}`;
}

/** Equal conversations get equal ids in every import, so that their runs can be compared. */
function hashedId({ system, turns }: ImportedScenario): string {
  const content = [system ?? "", turns.map(({ user, reference }) => [user, reference ?? ""])];
  return `scenario-${contentHash(JSON.stringify(content))}`;
}

/** Makes ids unique: a repeated id gets the suffix -2, then -3. */
function createIdRegister(): (wanted: string) => string {
  const used = new Set<string>();
  const nextSuffix = new Map<string, number>();
  return (wanted) => {
    let id = wanted;
    for (let suffix = nextSuffix.get(wanted) ?? 2; used.has(id); suffix++) {
      id = `${cutText(wanted, longestId - 12)}-${suffix}`;
      nextSuffix.set(wanted, suffix + 1);
    }
    used.add(id);
    return id;
  };
}

/** Cuts without leaving half a surrogate pair. */
const cutText = (text: string, length: number): string => text.slice(0, length).toWellFormed();
