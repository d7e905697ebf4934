import { isVocabulary, units } from "./vocabulary.ts";
import { dateKey, factOfNumber, figure, findFacts, weekdayOf, type CalendarDate, type Fact } from "./facts.ts";

/** Something that a fact in a reply can come from: its words in reasons, and a text or data. */
export interface Source {
  readonly name: string;
  readonly value: unknown;
  /** True for what a user said: "on Friday" is a date there, and in other texts as often every Friday. */
  readonly isSaid?: boolean;
}

/** A fact of a source as a reason shows it. */
interface Candidate {
  readonly source: string;
  readonly text: string;
  readonly fact: Fact;
}

/** What one source holds. Sources of earlier turns are read again with every turn, so their facts are remembered. */
interface SourceFacts {
  readonly facts: readonly { readonly text: string; readonly fact: Fact }[];
  readonly keys: readonly string[];
  /** The text for names: lower case, with spaces for underscores. */
  readonly words: string;
}

/** Nested deeper, data is not read. */
const maxDepth = 64;
/** Facts of one source that are read. A result of 5 MB has about half a million. */
const maxFacts = 1_000_000;

const ofObjects = new WeakMap<object, SourceFacts>();
const ofTexts = new Map<string, SourceFacts>();
const keptTexts = 200;
/** Longer texts are read again: remembering them would keep them after their run. */
const keptCharacters = 100_000;

/** The facts of all sources of a turn, by their keys. */
export class SourceIndex {
  readonly #keys = new Map<string, string>();
  readonly #sources: { readonly name: string; readonly facts: SourceFacts }[] = [];
  readonly #today: CalendarDate | undefined;
  readonly #saidDays = new Set<number>();

  /** `today`: the date of the conversation, where it is known. */
  constructor(today?: CalendarDate) {
    this.#today = today;
    if (today) this.addDate(today, "the date of the scenario");
  }

  add({ name, value, isSaid = false }: Source): SourceFacts {
    const facts = factsOf(value);
    this.#sources.push({ name, facts });
    for (const key of facts.keys) if (!this.#keys.has(key)) this.#keys.set(key, name);
    if (isSaid) this.#hear(facts);
    if (this.#today) for (const { fact } of facts.facts) this.#addRelative(fact, this.#today, { name, isSaid });
    return facts;
  }

  /** Users say "one day later" and "the 6th". */
  #hear({ facts }: SourceFacts): void {
    for (const { fact } of facts) {
      const days = fact.unit === "time" ? (fact.value ?? 0) / 1440 : 0;
      if (Number.isInteger(days) && days >= 1 && days <= 31) this.#saidDays.add(days);
      if (fact.ordinal !== undefined) this.#keys.set(`o:${fact.ordinal}`, "a user's message");
    }
  }

  /** True for a date that a user described: some days from one of a source, or by its day alone. */
  hasDescribed(date: CalendarDate): boolean {
    if (date.day === undefined) return false;
    const month = this.#today?.month ?? 0;
    if (this.has(`o:${date.day}`) && (date.month === month || date.month === (month % 12) + 1)) return true;
    const year = date.year ?? this.#today?.year ?? 2000;
    return [...this.#saidDays].some((days) =>
      [days, -days].some((each) => this.has(`d:${dateKey({ ...shifted({ ...date, year }, each), year: undefined })}`)),
    );
  }

  /** Adds what a fact gives, where it was found to hold. */
  addFact(fact: Fact, name: string): void {
    for (const key of fact.gives) if (!this.#keys.has(key)) this.#keys.set(key, name);
  }

  addDate(date: CalendarDate, name: string): void {
    const keys = [`d:${dateKey(date)}`, `d:${dateKey({ ...date, year: undefined })}`, `w:${weekdayOf(date)}`];
    for (const key of [...keys, `my:${date.year}-${date.month}`, `dd:${date.day}`])
      if (!this.#keys.has(key)) this.#keys.set(key, name);
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** True when a source has this name or phrase. */
  hasWords(words: string): boolean {
    return this.#sources.some(({ facts }) => facts.words.includes(words));
  }

  /** The facts of all sources, latest first. */
  *candidates(): Iterable<Candidate> {
    for (const { name, facts } of this.#sources.toReversed()) {
      for (const { text, fact } of facts.facts) yield { source: name, text, fact };
    }
  }

  /** "Tomorrow" and "on Friday" in a source are dates, where today's date is known. A date without a year falls on a weekday of this one. */
  #addRelative(fact: Fact, today: CalendarDate, { name, isSaid }: { name: string; isSaid: boolean }): void {
    const [key = ""] = fact.wanted;
    if (fact.kind === "date" && fact.date?.year === undefined && fact.date?.day !== undefined) {
      const weekday = `w:${weekdayOf({ ...fact.date, year: today.year })}`;
      if (!this.#keys.has(weekday)) this.#keys.set(weekday, name);
    }
    if (fact.kind !== "day") return;
    const [kind, number = "0"] = key.split(":");
    if (kind === "x") return this.addDate(shifted(today, Number(number)), name);
    if (!isSaid) return;
    const ahead = (Number(number) - weekdayOf(today) + 7) % 7;
    for (const days of [ahead - 7, ahead, ahead + 7, ahead + 14]) {
      const date = shifted(today, days);
      for (const each of [`d:${dateKey(date)}`, `d:${dateKey({ ...date, year: undefined })}`])
        if (!this.#keys.has(each)) this.#keys.set(each, name);
    }
  }
}

/** A date some days later. */
export function shifted({ year = 2000, month, day = 1 }: CalendarDate, days: number): Required<CalendarDate> {
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

export function factsOf(value: unknown): SourceFacts {
  if (typeof value === "object" && value !== null) {
    const known = ofObjects.get(value);
    if (known) return known;
    const facts = readValue(value);
    ofObjects.set(value, facts);
    return facts;
  }
  const text = typeof value === "string" ? value : String(value ?? "");
  const known = ofTexts.get(text);
  if (known) return known;
  const facts = readValue(value);
  if (text.length <= keptCharacters) {
    ofTexts.set(text, facts);
    const oldest = ofTexts.keys().next();
    if (ofTexts.size > keptTexts && !oldest.done) ofTexts.delete(oldest.value);
  }
  return facts;
}

function readValue(value: unknown): SourceFacts {
  const reader = new ValueReader();
  reader.read(value, 0);
  return {
    facts: reader.facts,
    keys: [...reader.keys],
    words: reader.words.join("\n").toLowerCase().replaceAll("_", " "),
  };
}

class ValueReader {
  readonly facts: { text: string; fact: Fact }[] = [];
  readonly keys = new Set<string>();
  readonly words: string[] = [];

  read(value: unknown, depth: number): void {
    if (depth > maxDepth || this.facts.length >= maxFacts) return;
    if (typeof value === "string") return this.#readText(value, depth);
    if (typeof value === "number") return this.#take(factOfNumber(value), String(value));
    if (Array.isArray(value)) return this.#readList(value, depth);
    if (typeof value === "object" && value !== null) this.#readRecord(value, depth);
  }

  #readText(text: string, depth: number): void {
    const parsed = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
    if (typeof parsed === "object" && parsed !== null) return this.read(parsed, depth + 1);
    if (mayHaveFacts(text)) for (const fact of findFacts(text)) this.#take(fact, text.slice(fact.start, fact.end));
    this.words.push(text);
  }

  /** How many there are is a fact too. */
  #readList(list: readonly unknown[], depth: number): void {
    for (const item of list) this.read(item, depth + 1);
    this.keys.add(`n:${list.length}`).add(`a:${list.length}`);
    if (list.length >= 2 && list.length <= mostSummed)
      for (const total of totals(list)) this.keys.add(`n:${figure(total)}`).add(`a:${figure(total)}`);
  }

  #readRecord(record: object, depth: number): void {
    const from = this.facts.length;
    for (const [key, value] of Object.entries(record)) {
      this.words.push(key);
      if (/\d/.test(key)) for (const fact of findFacts(key)) this.#take(fact, key);
      const unit = typeof value === "number" ? unitOfKey(key) : undefined;
      if (unit && typeof value === "number") for (const fact of findFacts(`${value} ${unit}`)) this.#give(fact);
      this.read(value, depth + 1);
    }
    const times = this.facts.slice(from, from + 40).flatMap(({ fact }) => fact.minutes ?? []);
    if (times.length <= 6) for (const minutes of differences(times)) this.keys.add(`time:${figure(minutes)}`);
  }

  #give(fact: Fact): void {
    for (const key of fact.gives) this.keys.add(key);
  }

  #take(fact: Fact, text: string): void {
    this.facts.push({ text, fact });
    this.#give(fact);
    if (fact.value === undefined || Number.isInteger(fact.value)) return;
    // Rounded to fewer digits, and a share as a percentage.
    for (const digits of [0, 1, 2]) {
      const rounded = figure(round(fact.value, digits));
      this.keys.add(`a:${rounded}`).add(fact.unit === undefined ? `n:${rounded}` : `${fact.unit}:${rounded}`);
      if (fact.unit === undefined && Math.abs(fact.value) < 1)
        this.keys.add(`percent:${figure(round(fact.value * 100, digits))}`);
    }
  }
}

/** Longer lists are of choices, not of parts. */
const mostSummed = 8;

/** The sums of what the items of a list have at the same place: the fares of the flights of one journey. */
function totals(list: readonly unknown[]): number[] {
  const sums = new Map<string, number>();
  const addAll = (value: unknown, path: string, depth: number): void => {
    if (typeof value === "number") sums.set(path, (sums.get(path) ?? 0) + value);
    else if (typeof value === "object" && value !== null && !Array.isArray(value) && depth < 3)
      for (const [key, inner] of Object.entries(value)) addAll(inner, `${path}/${key}`, depth + 1);
  };
  for (const item of list) addAll(item, "", 0);
  return [...sums.values()].filter((total) => total > 0);
}

/** `return_days` and `weightKg` say the unit of their number. */
function unitOfKey(key: string): string | undefined {
  const last = key
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .findLast((word) => word !== "");
  return last !== undefined && last.length > 1 && units.has(last) ? last : undefined;
}

/** Most values of data are single words. */
const mayHaveFacts = (text: string): boolean =>
  text.length > 40 || /[\d@\s/]|[^ -~]/.test(text) || isVocabulary(text.toLowerCase());

export const round = (value: number, digits: number): number => Math.round(value * 10 ** digits + 1e-9) / 10 ** digits;

/** The minutes between times of a day, also over midnight. */
export function differences(times: readonly number[]): number[] {
  return times.flatMap((one, index) =>
    times.slice(index + 1).flatMap((other) => {
      const between = (other - one + 1440) % 1440;
      return between === 0 ? [] : [between, 1440 - between];
    }),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
