import { isRecord, toPointer, type JsonRecord } from "../../base/json.ts";
import type { StateChange } from "../../contract/ports/journal.ts";

/** Keys that could reach a prototype. Pointers with them are refused. */
export const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** The segments of a JSON pointer (RFC 6901); null for a text that is not one. */
export function parsePointer(pointer: string): readonly string[] | null {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return null;
  return pointer.slice(1).split("/").map(unescapeSegment);
}

export function unescapeSegment(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Stands for a value that does not exist; undefined and null are values of others. */
export const missing: unique symbol = Symbol("missing");
export type Missing = typeof missing;

/** The value at a path, or `missing`. Own properties only. */
export function readPath(state: unknown, path: readonly string[]): unknown {
  let value = state;
  for (const key of path) {
    if (Array.isArray(value)) value = isIndex(key) && Number(key) < value.length ? value[Number(key)] : missing;
    else value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : missing;
    if (value === missing) return missing;
  }
  return value;
}

/**
 * A state and the changes made to it. Views share their base: a view holds only what differs from it, so that thousands of attempts
 * can act on one large state. A view itself never changes.
 */
export class StateView {
  readonly #base: unknown;
  readonly #patch: Patch | undefined;

  constructor(base: unknown, patch?: Patch) {
    this.#base = base;
    this.#patch = patch;
  }

  /** The whole state as one JSON value. */
  get value(): unknown {
    return this.read([]);
  }

  /** The value at a path, or `missing`. */
  read(path: readonly string[], count?: CountSteps): unknown {
    return readPatched(this.#base, this.#patch, { path, count });
  }

  /** The parts in which two views may differ, with their values; undefined where there is none. Of views with one base, only changes. */
  static changedParts(left: StateView, right: StateView): ChangedPart[] {
    if (left.#base !== right.#base) return [{ path: "", left: left.value, right: right.value }];
    const parts: ChangedPart[] = [];
    collectChanged(left.#base, { left: left.#patch, right: right.#patch, path: [] }, parts);
    return parts;
  }

  /** Several changes, which copy what they change once. */
  edit(count?: CountSteps): StateEdit {
    return new StateEdit(this.#base, this.#patch, count);
  }

  /** With journaled changes, which fit by construction. */
  apply(changes: readonly StateChange[]): StateView {
    if (changes.length === 0) return this;
    const edit = this.edit();
    for (const change of changes) {
      const path = parsePointer(change.path);
      const fits = path && (change.op === "set" ? edit.set(path, change.value) : edit.remove(path));
      if (!fits) throw new Error(`The change of ${change.path} does not fit the state`);
    }
    return edit.finish();
  }

  /** The changes that lead from the base to this view. */
  changes(): StateChange[] {
    return this.#patch === undefined ? [] : [...patchChanges(this.#base, this.#patch, [])];
  }
}

/** Counts values that are read or copied. */
export type CountSteps = (steps: number) => void;

/** A view with further changes. A change that does not fit leaves everything as it is. */
class StateEdit {
  readonly #base: unknown;
  #patch: Patch | undefined;
  readonly #copies: Copies;

  constructor(base: unknown, patch: Patch | undefined, count?: CountSteps) {
    this.#base = base;
    this.#patch = patch;
    this.#copies = new Copies(count);
  }

  /** Puts another value at a path; false when there is nothing to put it into. See `setPath`. */
  set(path: readonly string[], value: unknown): boolean {
    return this.#change(path, { value });
  }

  /** Removes the value at a path; false when there is none. */
  remove(path: readonly string[]): boolean {
    return path.length > 0 && this.#change(path, removed);
  }

  /** The view with all changes. No further ones may follow. */
  finish(): StateView {
    return new StateView(this.#base, this.#patch);
  }

  #change(path: readonly string[], change: PathChange): boolean {
    const patch = changePatched({ base: this.#base, patch: this.#patch, copies: this.#copies }, path, change);
    this.#patch = patch ?? this.#patch;
    return patch !== null;
  }
}

/** The containers that an edit has made and may change in place. */
class Copies {
  readonly #own = new Set<object>();
  readonly #count: CountSteps;

  constructor(count: CountSteps = () => {}) {
    this.#count = count;
  }

  /** A container with the same content that may be changed. Lists are copied by the block. */
  of<Container extends unknown[] | ReadonlyMap<string, Patch> | JsonRecord>(container: Container): Container {
    if (this.#own.has(container)) return container;
    const copy = this.#copy(container);
    this.#own.add(copy);
    return copy as Container;
  }

  #copy(container: object): object {
    if (Array.isArray(container)) {
      this.#count(1 + container.length / 32);
      return [...(container as unknown[])];
    }
    if (container instanceof Map) {
      this.#count(1 + container.size);
      return new Map(container);
    }
    const copy = { ...container };
    this.#count(1 + Object.keys(copy).length);
    return copy;
  }
}

export interface ChangedPart {
  /** A JSON pointer. */
  readonly path: string;
  readonly left: unknown;
  readonly right: unknown;
}

interface PatchedPlace {
  readonly left: Patch | undefined;
  readonly right: Patch | undefined;
  readonly path: readonly string[];
}

function collectChanged(base: unknown, { left, right, path }: PatchedPlace, parts: ChangedPart[]): void {
  if (left === undefined && right === undefined) return;
  const [ofLeft, ofRight] = [stateFields(left), stateFields(right)];
  if (ofLeft && ofRight) {
    for (const key of new Set([...ofLeft.keys(), ...ofRight.keys()])) {
      const place = { left: ofLeft.get(key), right: ofRight.get(key), path: [...path, key] };
      collectChanged(ownField(base, key), place, parts);
    }
    return;
  }
  const valueOf = (patch: Patch | undefined): unknown => {
    const value = readPatched(base, patch, { path: [] });
    return value === missing ? undefined : value;
  };
  parts.push({ path: toPointer(path), left: valueOf(left), right: valueOf(right) });
}

/** The changed fields of a patch; null when it replaces or removes the whole. */
function stateFields(patch: Patch | undefined): ReadonlyMap<string, Patch> | null {
  if (patch === undefined) return new Map();
  return patch !== removed && "fields" in patch ? patch.fields : null;
}

/** A difference from the base: another value, none, or differences in the fields of an object. */
type Patch = typeof removed | { readonly value: unknown } | { readonly fields: ReadonlyMap<string, Patch> };
const removed = "removed";

function* patchChanges(base: unknown, patch: Patch, path: readonly string[]): Iterable<StateChange> {
  if (patch !== removed && "value" in patch) return yield setChange(path, patch.value);
  // A value that was added and removed again is not in the base.
  if (patch === removed) return base === missing ? undefined : yield removeChange(path);
  for (const [key, inner] of patch.fields) yield* patchChanges(ownField(base, key), inner, [...path, key]);
}

interface ReadPlace {
  readonly path: readonly string[];
  readonly count?: CountSteps | undefined;
}

function readPatched(base: unknown, patch: Patch | undefined, { path, count }: ReadPlace): unknown {
  if (patch === undefined) return base === missing ? missing : readPath(base, path);
  if (patch === removed) return missing;
  if ("value" in patch) return readPath(patch.value, path);
  const [key, ...rest] = path;
  if (key === undefined) return mergeFields(base as JsonRecord, patch.fields, count);
  return readPatched(ownField(base, key), patch.fields.get(key), { path: rest, count });
}

/** The objects that were made of a base and changed fields. They are read again and again, and a view never changes. */
const merged = new WeakMap<ReadonlyMap<string, Patch>, JsonRecord>();

function mergeFields(base: JsonRecord, fields: ReadonlyMap<string, Patch>, count?: CountSteps): JsonRecord {
  const known = merged.get(fields);
  if (known) return known;
  const keys = new Set([...Object.keys(base), ...fields.keys()]);
  count?.(1 + keys.size);
  const entries: [string, unknown][] = [];
  for (const key of keys) {
    const value = readPatched(ownField(base, key), fields.get(key), { path: [], count });
    if (value !== missing) entries.push([key, value]);
  }
  // Unlike an assignment, this also keeps a field named __proto__.
  const record = Object.fromEntries(entries);
  merged.set(fields, record);
  return record;
}

type PathChange = typeof removed | { readonly value: unknown };

interface ChangedPlace {
  readonly base: unknown;
  readonly patch: Patch | undefined;
  readonly copies: Copies;
}

/** The patch after one more change; null when the change has no place. Lists are replaced as a whole. */
function changePatched(
  { base, patch, copies }: ChangedPlace,
  path: readonly string[],
  change: PathChange,
): Patch | null {
  const [key, ...rest] = path;
  if (key === undefined) return change;
  if (patch === removed) return null;
  const fields = patch && "fields" in patch ? patch.fields : new Map<string, Patch>();
  const plain = patch && "value" in patch ? patch.value : Array.isArray(base) ? base : missing;
  if (plain !== missing) {
    const next =
      change === removed ? removePath(plain, path, copies) : setPath(plain, { path, value: change.value, copies });
    return next === missing ? null : { value: next };
  }
  if (!isRecord(base)) return null;
  const [inner, changed] = [ownField(base, key), fields.get(key)];
  const exists = changed === undefined ? inner !== missing : changed !== removed;
  if (!exists && (rest.length > 0 || change === removed)) return null;
  const next = changePatched({ base: inner, patch: changed, copies }, rest, change);
  return next && { fields: (copies.of(fields) as Map<string, Patch>).set(key, next) };
}

function ownField(base: unknown, key: string): unknown {
  return isRecord(base) && Object.hasOwn(base, key) ? base[key] : missing;
}

/**
 * A value with another one at a path, or `missing` when there is nothing to put it into. In a list, an index replaces an item,
 * and `-` or the length of the list appends one.
 */
function setPath(
  state: unknown,
  { path, value, copies }: { readonly path: readonly string[]; readonly value: unknown; readonly copies: Copies },
): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const inner = (member: unknown): unknown => setPath(member, { path: rest, value, copies });
  if (Array.isArray(state)) {
    const index = key === "-" ? state.length : isIndex(key) ? Number(key) : -1;
    if (index < 0 || index > state.length) return missing;
    const item = rest.length === 0 ? value : index < state.length ? inner(state[index]) : missing;
    if (item === missing) return missing;
    const list = copies.of(state as unknown[]);
    list[index] = item;
    return list;
  }
  if (!isRecord(state)) return missing;
  const member = rest.length === 0 ? value : Object.hasOwn(state, key) ? inner(state[key]) : missing;
  return member === missing ? missing : defineField(copies.of(state), key, member);
}

/** Unlike an assignment, this does not reach a prototype. */
function defineField(record: JsonRecord, key: string, value: unknown): JsonRecord {
  return Object.defineProperty(record, key, { value, writable: true, enumerable: true, configurable: true });
}

/** A value without that at a path, or `missing` when there is none. */
function removePath(state: unknown, path: readonly string[], copies: Copies): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return missing;
  if (Array.isArray(state)) {
    const index = isIndex(key) ? Number(key) : -1;
    if (index < 0 || index >= state.length) return missing;
    const item = rest.length === 0 ? removed : removePath(state[index], rest, copies);
    if (item === missing) return missing;
    const list = copies.of(state as unknown[]);
    if (rest.length === 0) list.splice(index, 1);
    else list[index] = item;
    return list;
  }
  if (!isRecord(state) || !Object.hasOwn(state, key)) return missing;
  const inner = rest.length === 0 ? removed : removePath(state[key], rest, copies);
  if (inner === missing) return missing;
  const record = copies.of(state) as Record<string, unknown>;
  if (rest.length === 0) delete record[key];
  else defineField(record, key, inner);
  return record;
}

/** A list index in a pointer: no sign, no leading zero. */
function isIndex(key: string): boolean {
  return /^(?:0|[1-9]\d{0,8})$/.test(key);
}

/** A change at a path that was filled in. */
export function setChange(path: readonly string[], value: unknown): StateChange {
  return { op: "set", path: toPointer(path), value };
}

export function removeChange(path: readonly string[]): StateChange {
  return { op: "remove", path: toPointer(path) };
}
