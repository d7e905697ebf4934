import { measureJson, type JsonSize } from "../../base/json-size.ts";
import type { JournalEntry, StateChange } from "../../contract/ports/journal.ts";

/** Characters of JSON in the initial state of a world, and in all changes that one attempt makes in it. */
export const maxStateCharacters = 16_777_216;

/** Characters of JSON in the journal of one attempt: replies that ask for tools, calls, results and changes. */
const maxJournalCharacters = 64 * 1024 * 1024;
/** Characters that an entry takes beside its text. */
const ofEntry = 200;

/** A part of the state that is written several times counts each time: it is stored, compared and shown as a tree. */
const mostChanged: JsonSize = { characters: maxStateCharacters, values: 1_000_000, depth: 256 };

/** Why a state cannot be that of a fresh world, else null. */
export function initialStateProblem(state: unknown): string | null {
  const limits = { ...mostChanged, values: Infinity };
  if (measureJson(state, limits)) return null;
  return measureJson(state, { ...limits, characters: Infinity })
    ? `must have at most ${limitText(limits.characters)} characters of JSON`
    : `must have at most ${limits.depth} levels`;
}

/** Values that are read and copied to answer calls: each takes up to a microsecond. */
const mostSteps = { ofCall: 500_000, ofAttempt: 5_000_000 };

/** An attempt did more in its world than is kept. The attempt cannot go on: its state is no longer known. */
export class WorldLimitError extends Error {
  override readonly name = "WorldLimitError";
}

/** A limit in words: 16,777,216. */
export function limitText(limit: number): string {
  return String(limit).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/**
 * Counts the entries of an attempt's journal, which are kept in memory until it ends. The function that it returns tells the characters
 * of more entries, and throws a `WorldLimitError` when there are too many.
 */
export function countJournal(mostCharacters = maxJournalCharacters): (entries: readonly JournalEntry[]) => number {
  const limit = Math.min(mostCharacters, maxJournalCharacters);
  let counted = 0;
  return (entries) => {
    const before = counted;
    for (const entry of entries) {
      const left = { characters: limit - counted - ofEntry, values: Infinity, depth: Infinity };
      const size = measureJson(entry, left);
      if (!size) {
        throw new WorldLimitError(
          `The attempt passes a limit of the world: its tool calls, with their arguments, results and changes, may have at most ${limitText(limit)} characters together.`,
        );
      }
      counted += size.characters + ofEntry;
    }
    return counted - before;
  };
}

/** Counts what one attempt does in its world. Throws a `WorldLimitError` where that passes a limit. */
export class WorldUse {
  /** The name of the tool whose call is being answered. */
  #tool = "";
  #changed: Pick<JsonSize, "characters" | "values"> = { characters: 0, values: 0 };
  #stepsBefore = 0;
  #steps = 0;

  begin(tool: string): void {
    this.#tool = tool;
    this.#stepsBefore = this.#steps;
  }

  /** Counts steps of work. */
  readonly count = (steps: number): void => {
    this.#steps += steps;
    if (this.#steps - this.#stepsBefore > mostSteps.ofCall) throw this.#passed("it takes too much work to answer");
    if (this.#steps > mostSteps.ofAttempt) {
      throw this.#passed("the calls of this attempt take too much work to answer");
    }
  };

  /** Throws if these changes would pass a limit. */
  check(changes: readonly StateChange[]): void {
    let { characters, values } = this.#changed;
    for (const change of changes) {
      const limits = {
        ...mostChanged,
        characters: mostChanged.characters - characters,
        values: mostChanged.values - values,
      };
      const size = measureJson(change, limits);
      if (!size) throw this.#passed(whyTooLarge(change, limits));
      characters += size.characters;
      values += size.values;
    }
  }

  /** Counts changes that are kept. */
  add(changes: readonly StateChange[]): void {
    for (const change of changes) {
      const size = measureJson(change, mostChanged) ?? mostChanged;
      const { characters, values } = this.#changed;
      this.#changed = { characters: characters + size.characters, values: values + size.values };
    }
  }

  #passed(reason: string): WorldLimitError {
    return new WorldLimitError(`The call of ${this.#tool} passes a limit of the world: ${reason}.`);
  }
}

function whyTooLarge(change: StateChange, limits: JsonSize): string {
  const { characters, values, depth } = mostChanged;
  return measureJson(change, { ...limits, depth: Infinity })
    ? `the state may have at most ${depth} levels`
    : `the changes of an attempt may have at most ${limitText(characters)} characters of JSON and ${limitText(values)} values together`;
}
