import { toPointer } from "../../base/json.ts";
import type { StateChange } from "../../contract/ports/journal.ts";
import { forbiddenKeys } from "../../evaluation/world/state.ts";

/** A state to work on like on any other value, and the changes that were made to it. */
interface StateDraft {
  readonly state: unknown;
  /** The changes so far. The state cannot be changed afterwards. Throws when a new value is not JSON. */
  finish(): StateChange[];
}

/**
 * A draft of a JSON value. The value itself stays as it is: what is changed is copied, so that a small change of a large state costs
 * little and attempts can share the rest.
 */
export function draftState(state: unknown): StateDraft {
  const draft = new Draft();
  const root = isContainer(state) ? draft.open(state) : null;
  return {
    state: root ? root.proxy : state,
    finish() {
      draft.isOver = true;
      return root ? [...changesOf(root, [])] : [];
    },
  };
}

type Container = Record<PropertyKey, unknown>;

/** A part of the state that was looked at. */
interface DraftPart {
  readonly base: Container;
  /** The part with its changes; null while there are none. */
  copy: Container | null;
  readonly proxy: object;
  /** The parts within it that were looked at, by key. */
  readonly inner: Map<PropertyKey, DraftPart>;
}

const drafts = new WeakSet<object>();

/** True for a state, or a part of one, that a draft was made of. */
export function isDraft(value: unknown): boolean {
  return typeof value === "object" && value !== null && drafts.has(value);
}

class Draft {
  isOver = false;
  readonly #handler: ProxyHandler<Container>;
  readonly #parts = new WeakMap<object, DraftPart>();

  constructor() {
    const partOf = (base: object): DraftPart => this.#parts.get(base)!;
    const current = (base: object): Container => partOf(base).copy ?? (base as Container);
    this.#handler = {
      get: (base, key) => this.#read(partOf(base), key),
      has: (base, key) => Reflect.has(current(base), key),
      ownKeys: (base) => Reflect.ownKeys(current(base)),
      getOwnPropertyDescriptor: (base, key) => {
        const found = Reflect.getOwnPropertyDescriptor(current(base), key);
        return found && { ...found, value: this.#read(partOf(base), key) };
      },
      set: (base, key, value) => {
        const copy = this.#change(partOf(base));
        if (Array.isArray(copy)) return Reflect.set(copy, key, value);
        // An assignment to __proto__ would replace the prototype.
        return Reflect.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
      },
      deleteProperty: (base, key) => Reflect.deleteProperty(this.#change(partOf(base)), key),
      defineProperty: (base, key, { value, get }) => {
        if (get) throw new TypeError("The state can hold values only, no getters.");
        return this.#handler.set!(base, key, value, base);
      },
      setPrototypeOf: () => false,
      // The value that the draft was made of must not be frozen.
      preventExtensions: () => false,
    };
  }

  open(base: Container): DraftPart {
    const part = { base, copy: null, proxy: new Proxy(base, this.#handler), inner: new Map() };
    drafts.add(part.proxy);
    this.#parts.set(base, part);
    return part;
  }

  #read(part: DraftPart, key: PropertyKey): unknown {
    const value = (part.copy ?? part.base)[key];
    // A container of the base stays at its key until it is replaced: others are new, or proxies that were moved.
    if (!isContainer(value) || !isUntouched(part, key, value)) return value;
    const inner = part.inner.get(key) ?? this.open(value);
    part.inner.set(key, inner);
    return inner.proxy;
  }

  #change(part: DraftPart): Container {
    if (this.isOver) throw new Error("The state can be changed only during the call.");
    const { base } = part;
    part.copy ??= Array.isArray(base) ? ([...base] as unknown as Container) : { ...base };
    return part.copy;
  }
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function isUntouched({ base }: DraftPart, key: PropertyKey, value: unknown): boolean {
  return Object.hasOwn(base, key) && base[key] === value;
}

function* changesOf(part: DraftPart, path: readonly string[]): Iterable<StateChange> {
  const { base, copy, inner } = part;
  if (!copy) {
    for (const [key, within] of inner) yield* changesOf(within, [...path, String(key)]);
    return;
  }
  const isList = Array.isArray(base);
  // Where items were taken out, all behind them have moved.
  if (isList && Number(copy["length"]) < base.length) return yield set(path, part.proxy);
  const keys = isList ? Array.from(copy as unknown as unknown[], (_, index) => String(index)) : Object.keys(copy);
  for (const key of keys) {
    const at = [...path, key];
    const [value, within] = [copy[key], inner.get(key)];
    if (isUntouched(part, key, value) || (within && value === within.proxy)) {
      if (within) yield* changesOf(within, at);
      continue;
    }
    const json = toJson(value, at);
    if (json !== undefined || isList) yield set(at, json);
    else if (Object.hasOwn(base, key)) yield removal(at);
  }
  if (isList) return;
  for (const key of Object.keys(base)) if (!Object.hasOwn(copy, key)) yield removal([...path, key]);
}

function removal(path: readonly string[]): StateChange {
  return { op: "remove", path: toPointer(path) };
}

function set(path: readonly string[], value: unknown): StateChange {
  const forbidden = path.find((key) => forbiddenKeys.has(key));
  if (forbidden !== undefined) throw new Error(`The state must not have the key ${forbidden}.`);
  return { op: "set", path: toPointer(path), value: toJson(value, path) ?? null };
}

/** The value as JSON; undefined for one that JSON leaves out, such as a function. */
function toJson(value: unknown, path: readonly string[]): unknown {
  if (typeof value !== "object" || value === null) {
    if (typeof value === "bigint") throw notJsonState(path, "it is a BigInt");
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    return typeof value === "function" || typeof value === "symbol" ? undefined : value;
  }
  try {
    const text = JSON.stringify(value);
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch (error) {
    throw notJsonState(path, error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error));
  }
}

function notJsonState(path: readonly string[], reason: string): Error {
  return new Error(`The state at ${toPointer(path) || "its root"} cannot be stored as JSON: ${reason}.`);
}
