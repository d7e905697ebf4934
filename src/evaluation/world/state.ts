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
  #value: unknown = missing;

  constructor(base: unknown, patch?: Patch) {
    this.#base = base;
    this.#patch = patch;
  }

  /** The whole state as one JSON value. */
  get value(): unknown {
    if (this.#value === missing) this.#value = readPatched(this.#base, this.#patch, []);
    return this.#value;
  }

  /** The value at a path, or `missing`. */
  read(path: readonly string[]): unknown {
    return readPatched(this.#base, this.#patch, path);
  }

  /** The parts in which two views may differ, with their values; undefined where there is none. Of views with one base, only changes. */
  static changedParts(left: StateView, right: StateView): ChangedPart[] {
    if (left.#base !== right.#base) return [{ path: "", left: left.value, right: right.value }];
    const parts: ChangedPart[] = [];
    collectChanged(left.#base, { left: left.#patch, right: right.#patch, path: [] }, parts);
    return parts;
  }

  /** With another value at a path; null when there is nothing to put it into. See `setPath`. */
  set(path: readonly string[], value: unknown): StateView | null {
    return this.#with(changePatched(this.#base, this.#patch, path, { value }));
  }

  /** Without the value at a path; null when there is none. */
  remove(path: readonly string[]): StateView | null {
    return path.length === 0 ? null : this.#with(changePatched(this.#base, this.#patch, path, removed));
  }

  /** With journaled changes, which fit by construction. */
  apply(changes: readonly StateChange[]): StateView {
    return changes.reduce<StateView>((view, change) => {
      const path = parsePointer(change.path);
      const next = path && (change.op === "set" ? view.set(path, change.value) : view.remove(path));
      if (!next) throw new Error(`The change of ${change.path} does not fit the state`);
      return next;
    }, this);
  }

  /** The changes that lead from the base to this view. */
  changes(): StateChange[] {
    return this.#patch === undefined ? [] : [...patchChanges(this.#base, this.#patch, [])];
  }

  #with(patch: Patch | null): StateView | null {
    return patch && new StateView(this.#base, patch);
  }
}

interface ChangedPart {
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
  const [ofLeft, ofRight] = [fieldsOf(left), fieldsOf(right)];
  if (ofLeft && ofRight) {
    for (const key of new Set([...ofLeft.keys(), ...ofRight.keys()])) {
      const place = { left: ofLeft.get(key), right: ofRight.get(key), path: [...path, key] };
      collectChanged(ownField(base, key), place, parts);
    }
    return;
  }
  const valueOf = (patch: Patch | undefined): unknown => {
    const value = readPatched(base, patch, []);
    return value === missing ? undefined : value;
  };
  parts.push({ path: toPointer(path), left: valueOf(left), right: valueOf(right) });
}

/** The changed fields of a patch; null when it replaces or removes the whole. */
function fieldsOf(patch: Patch | undefined): ReadonlyMap<string, Patch> | null {
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

function readPatched(base: unknown, patch: Patch | undefined, path: readonly string[]): unknown {
  if (patch === undefined) return base === missing ? missing : readPath(base, path);
  if (patch === removed) return missing;
  if ("value" in patch) return readPath(patch.value, path);
  const [key, ...rest] = path;
  if (key === undefined) return mergeFields(base as JsonRecord, patch.fields);
  return readPatched(ownField(base, key), patch.fields.get(key), rest);
}

function mergeFields(base: JsonRecord, fields: ReadonlyMap<string, Patch>): JsonRecord {
  const entries: [string, unknown][] = [];
  for (const key of new Set([...Object.keys(base), ...fields.keys()])) {
    const value = readPatched(ownField(base, key), fields.get(key), []);
    if (value !== missing) entries.push([key, value]);
  }
  // Unlike an assignment, this also keeps a field named __proto__.
  return Object.fromEntries(entries);
}

/** The patch after one more change; null when the change has no place. Lists are replaced as a whole. */
function changePatched(
  base: unknown,
  patch: Patch | undefined,
  path: readonly string[],
  change: typeof removed | { readonly value: unknown },
): Patch | null {
  const [key, ...rest] = path;
  if (key === undefined) return change;
  if (patch === removed) return null;
  const fields = patch && "fields" in patch ? patch.fields : new Map<string, Patch>();
  const plain = patch && "value" in patch ? patch.value : Array.isArray(base) ? base : missing;
  if (plain !== missing) {
    const next = change === removed ? removePath(plain, path) : setPath(plain, path, change.value);
    return next === missing ? null : { value: next };
  }
  if (!isRecord(base)) return null;
  const [inner, changed] = [ownField(base, key), fields.get(key)];
  const exists = changed === undefined ? inner !== missing : changed !== removed;
  if (!exists && (rest.length > 0 || change === removed)) return null;
  const next = changePatched(inner, changed, rest, change);
  return next && { fields: new Map(fields).set(key, next) };
}

function ownField(base: unknown, key: string): unknown {
  return isRecord(base) && Object.hasOwn(base, key) ? base[key] : missing;
}

/**
 * A value with another one at a path, or `missing` when there is nothing to put it into. In a list, an index replaces an item,
 * and `-` or the length of the list appends one.
 */
function setPath(state: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(state)) {
    const index = key === "-" ? state.length : isIndex(key) ? Number(key) : -1;
    if (index < 0 || index > state.length) return missing;
    const item = rest.length === 0 ? value : index < state.length ? setPath(state[index], rest, value) : missing;
    return item === missing ? missing : state.toSpliced(index, 1, item);
  }
  if (!isRecord(state)) return missing;
  const inner = rest.length === 0 ? value : Object.hasOwn(state, key) ? setPath(state[key], rest, value) : missing;
  return inner === missing ? missing : { ...state, [key]: inner };
}

/** A value without that at a path, or `missing` when there is none. */
function removePath(state: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return missing;
  if (Array.isArray(state)) {
    const index = isIndex(key) ? Number(key) : -1;
    if (index < 0 || index >= state.length) return missing;
    if (rest.length === 0) return state.toSpliced(index, 1);
    const item = removePath(state[index], rest);
    return item === missing ? missing : state.with(index, item);
  }
  if (!isRecord(state) || !Object.hasOwn(state, key)) return missing;
  if (rest.length === 0) return withoutKey(state, key);
  const inner = removePath(state[key], rest);
  return inner === missing ? missing : { ...state, [key]: inner };
}

function withoutKey(record: JsonRecord, key: string): JsonRecord {
  const { [key]: _, ...rest } = record;
  return rest;
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
