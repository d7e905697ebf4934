import { dropEnd } from "../../base/text.ts";
import { dateKey, figure, findFacts, laterDay, type CalendarDate, type Fact } from "./facts.ts";
import { computedWords } from "./vocabulary.ts";
import { differences, factsOf, shifted, SourceIndex, type Source } from "./sources.ts";

/** What a reply may draw its facts from, in order of time. */
export interface GroundingInput {
  readonly reply: string;
  /** Everything but earlier replies and the sources of this turn. */
  readonly sources: readonly Source[];
  /** The user's message, calls and results of this turn: sums and differences are made of their numbers. */
  readonly ofTurn: readonly Source[];
  /** The agent's earlier replies: what was grounded there may be repeated. */
  readonly earlierReplies: readonly string[];
  /** The date of the conversation. */
  readonly today?: CalendarDate | undefined;
}

/** A fact without a source. */
export interface UngroundedFact {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The most similar fact of a source, and where it is. */
  readonly nearest?: { readonly text: string; readonly source: string } | undefined;
}

export interface Grounding {
  readonly facts: number;
  readonly ungrounded: readonly UngroundedFact[];
}

/** Looks for a source of every fact in a reply. */
export function groundReply({ reply, sources, ofTurn, earlierReplies, today }: GroundingInput): Grounding {
  const index = new SourceIndex(today);
  for (const source of [...sources, ...ofTurn]) index.add(source);
  const near = operandsOf(ofTurn);
  const context = { near, today };
  for (const earlier of earlierReplies) {
    const found = new ReplyGrounding(earlier, index, context);
    for (const fact of found.grounded()) index.addFact(fact, "an earlier reply");
  }
  const found = new ReplyGrounding(reply, index, context);
  const missing = found.ungrounded();
  return {
    facts: found.count,
    ungrounded: missing.map((fact, position) => {
      const text = reply.slice(fact.start, fact.end);
      const { start, end } = fact;
      return { text, start, end, nearest: position < explained ? nearestTo(fact, text, index) : undefined };
    }),
  };
}

/** Facts whose nearest source is looked for. */
const explained = 5;

interface Operand {
  readonly value: number;
  readonly unit: string | undefined;
}

/** More numbers make so many sums that nearly every number would be one. */
const maxOperands = 16;

interface TurnOperands {
  readonly numbers: readonly Operand[];
  readonly dates: readonly CalendarDate[];
}

function operandsOf(sources: readonly Source[]): TurnOperands {
  const numbers = new Map<string, Operand>();
  const dates: CalendarDate[] = [];
  for (const { value } of sources) {
    const own = new Map<string, Operand>();
    for (const { fact } of factsOf(value).facts) {
      if (own.size > maxOperands) break;
      if (fact.value !== undefined) own.set(`${fact.unit}:${fact.value}`, { value: fact.value, unit: fact.unit });
      if (fact.date?.day !== undefined && dates.length < maxOperands) dates.push(fact.date);
    }
    if (own.size <= maxOperands) for (const [key, operand] of own) numbers.set(key, operand);
  }
  return { numbers: numbers.size <= maxOperands ? [...numbers.values()] : [], dates };
}

/** Rounded numbers of a reply that are looked for among all numbers. */
const mostRounded = 50;
/** Quoted names of a reply that are looked for. */
const mostNames = 100;

const balance =
  /\b(?:remain\w{0,5}|left|leaves?|balance|rest|difference|restbetrag|restlich\w{0,2}|verbleib\w{0,5}|übrig|differenz|reste|restant\w{0,2}|solde|différence|resto|restante|saldo|diferencia)\b/iu;

/** Characters around a fact that are searched for words of computing. */
const beside = 80;

class ReplyGrounding {
  readonly #reply: string;
  readonly #facts: readonly Fact[];
  readonly #index: SourceIndex;
  readonly #near: TurnOperands;
  readonly #today: CalendarDate | undefined;
  readonly #held = new Set<Fact>();
  #rounded = 0;
  readonly count: number;

  constructor(
    reply: string,
    index: SourceIndex,
    { near, today }: { near: TurnOperands; today: CalendarDate | undefined },
  ) {
    this.#reply = reply;
    this.#index = index;
    this.#near = near;
    this.#today = today;
    const facts = findFacts(reply).filter((fact) => isStatement(fact, today));
    this.#facts = [...facts, ...findNames(reply)].toSorted((left, right) => left.start - right.start);
    this.count = this.#facts.filter(({ minor }) => !minor).length;
    for (const fact of this.#facts) if (fact.minor || this.#isFound(fact)) this.#held.add(fact);
    // A total may be the sum of subtotals that are sums themselves.
    for (let pass = 0; pass < 2; pass++) {
      const open = [...this.#facts.entries()].filter(([, fact]) => !this.#held.has(fact));
      if (open.length === 0) break;
      for (const [at, fact] of open) if (this.#isDerived(fact, this.#around(at))) this.#held.add(fact);
    }
  }

  /** The facts near one of them that have a source. Only those count, so that the time grows with the length of the reply. */
  #around(at: number): readonly Fact[] {
    const near = this.#facts.slice(Math.max(0, at - maxOperands), at + maxOperands);
    return near.filter((fact, index) => index !== Math.min(at, maxOperands) && this.#held.has(fact));
  }

  grounded(): readonly Fact[] {
    return this.#facts.filter((fact) => !fact.minor && this.#held.has(fact));
  }

  ungrounded(): readonly Fact[] {
    return this.#facts.filter((fact) => !this.#held.has(fact));
  }

  #isFound({ kind, wanted, approximate, raw, date, decimals = 0 }: Fact): boolean {
    if (kind === "name") return wanted.some((words) => this.#index.hasWords(words));
    if (wanted.some((key) => this.#index.has(key))) return true;
    if (date) return this.#index.hasDescribed(date);
    const [day = ""] = wanted;
    if (this.#today && day.startsWith("x:"))
      return this.#index.has(`d:${dateKey(shifted(this.#today, Number(day.slice(2))))}`);
    if (!approximate || raw === undefined) return false;
    return this.#isRounded(raw, decimals);
  }

  /** "About 1,200" and "1.2 million" stand for every number that rounds to them. */
  #isRounded(value: number, decimals: number): boolean {
    const digits = String(Math.abs(value));
    const zeros = Number.isInteger(value) ? digits.length - dropEnd(digits, "0").length : 0;
    const step = decimals !== 0 ? 10 ** -decimals : 10 ** zeros;
    // Bounded, because every source is read for each of them.
    if (++this.#rounded > mostRounded) return false;
    for (const { fact } of this.#index.candidates()) {
      if (fact.raw !== undefined && Math.abs(Math.abs(fact.raw) - Math.abs(value)) <= step / 2) return true;
    }
    return false;
  }

  /** Sums and the like are looked for where the reply speaks of one: otherwise a wrong number would too often be some sum. */
  #isDerived(fact: Fact, around: readonly Fact[]): boolean {
    if (!this.#isComputedHere(fact))
      return fact.date !== undefined && this.#index.has(laterDay) && this.#isDayAfter(fact.date, around);
    if (fact.kind === "date") return this.#isDerivedDate(fact, around);
    if (fact.kind === "time") return this.#isDerivedTime(fact, around);
    if (fact.kind !== "number" || fact.value === undefined) return false;
    return this.#isComputed(fact, around) || this.#isDuration(fact, around) || this.#isBalance(fact, around);
  }

  /** True when a word of computing stands beside the fact, in its line. */
  #isComputedHere({ start, end }: Fact): boolean {
    const before = this.#reply.slice(Math.max(0, start - beside), start);
    const after = this.#reply.slice(end, end + beside);
    const line = `${before.slice(before.lastIndexOf("\n") + 1)} ${after.split("\n", 1)[0]}`;
    const words = line.toLowerCase().match(/[\p{L}-]+|[=+×*]/gu) ?? [];
    return words.some((word) => computedWords.has(word));
  }

  /** A sum, a difference, a multiple or a percentage of numbers of this turn. */
  #isComputed(fact: Fact, around: readonly Fact[]): boolean {
    const value = Math.abs(fact.value ?? 0);
    const own = around.filter((each) => each.value !== undefined);
    const inReply = own.map((each): Operand => ({ value: each.value ?? 0, unit: each.unit }));
    const all = [...inReply, ...this.#near.numbers].slice(0, 2 * maxOperands);
    const same = all.filter(({ unit, value: each }) => each !== 0 && isSameKind(unit, fact.unit));
    const isIt = (result: number): boolean => Math.abs(Math.abs(result) - value) <= tolerance(fact);
    for (const [position, { value: left }] of same.entries()) {
      for (const { value: right } of same.slice(position + 1))
        if (isIt(left + right) || isIt(left - right)) return true;
    }
    const counts = all.filter(
      (each) => each.unit === undefined && Number.isInteger(each.value) && each.value >= 2 && each.value <= 12,
    );
    if (same.some(({ value: each }) => counts.some((count) => isIt(each * count.value) || isIt(each / count.value))))
      return true;
    const percents = all.filter(({ unit }) => unit === "percent");
    if (
      same.some(
        ({ value: each, unit }) =>
          unit !== "percent" &&
          percents.some(
            ({ value: percent }) =>
              isIt((each * percent) / 100) || isIt(each * (1 - percent / 100)) || isIt(each * (1 + percent / 100)),
          ),
      )
    )
      return true;
    return hasRun(
      own.filter((each) => isSameKind(each.unit, fact.unit) && !each.minor).map((each) => each.value ?? 0),
      isIt,
    );
  }

  /** What is left of an amount of any source after those that the reply names just before. */
  #isBalance(fact: Fact, around: readonly Fact[]): boolean {
    if (!balance.test(this.#reply.slice(Math.max(0, fact.start - beside), fact.end + beside))) return false;
    const before = around.filter((each) => each.end <= fact.start && !each.minor && each.unit === fact.unit);
    return before.slice(-2).some(({ value = 0 }) => {
      const whole = figure(Math.abs(value) + Math.abs(fact.value ?? 0));
      return this.#index.has(`n:${whole}`) || (fact.unit !== undefined && this.#index.has(`${fact.unit}:${whole}`));
    });
  }

  #datesBeside(around: readonly Fact[]): CalendarDate[] {
    const own = around.filter((each) => each.date?.day !== undefined);
    return [...own.flatMap(({ date }) => date ?? []), ...this.#near.dates, ...(this.#today ? [this.#today] : [])].slice(
      0,
      maxOperands,
    );
  }

  /** The time between two times or dates of the reply. */
  #isDuration({ unit, value = 0 }: Fact, around: readonly Fact[]): boolean {
    if (unit !== "time") return false;
    const times = around.flatMap(({ minutes }) => minutes ?? []).slice(0, maxOperands);
    if (differences(times).some((minutes) => minutes === Math.round(value))) return true;
    const days = this.#datesBeside(around).map(
      (date) => Date.UTC(date.year ?? this.#today?.year ?? 2000, date.month - 1, date.day ?? 1) / 86_400_000,
    );
    return days.some((one, position) =>
      days.slice(position + 1).some((other) => Math.abs(one - other) * 1440 === value),
    );
  }

  /** A date that lies a stated number of days from another: "within 30 days of May 1". */
  #isDerivedDate({ date }: Fact, around: readonly Fact[]): boolean {
    if (date?.day === undefined) return false;
    const spans = this.#days(around);
    return this.#datesBeside(around).some((base) => {
      const year = base.year ?? this.#today?.year ?? date.year ?? 2000;
      return spans.some((days) =>
        [days, -days].some((each) => {
          const other = shifted({ ...base, year }, each);
          return (
            other.month === date.month &&
            other.day === date.day &&
            (date.year === undefined || date.year === other.year)
          );
        }),
      );
    });
  }

  #isDayAfter({ month, day }: CalendarDate, around: readonly Fact[]): boolean {
    return this.#datesBeside(around).some((base) => {
      const next = shifted({ ...base, year: base.year ?? this.#today?.year }, 1);
      return next.month === month && next.day === day;
    });
  }

  /** Whole days that the reply, or this turn, names as a duration. */
  #days(around: readonly Fact[]): number[] {
    const own = around.flatMap((each) => (each.unit === "time" ? (each.value ?? 0) : []));
    const near = this.#near.numbers.flatMap(({ unit, value }) => (unit === "time" ? value : []));
    return [...own, ...near]
      .filter((minutes) => minutes >= 1440 && minutes % 1440 === 0)
      .map((minutes) => minutes / 1440);
  }

  #isDerivedTime({ minutes }: Fact, around: readonly Fact[]): boolean {
    if (minutes === undefined) return false;
    const times = around.flatMap((each) => each.minutes ?? []);
    const spans = [
      ...around.flatMap((each) => (each.unit === "time" ? (each.value ?? 0) : [])),
      ...this.#near.numbers.flatMap(({ unit, value }) => (unit === "time" ? value : [])),
    ].filter((span) => span > 0 && span < 1440);
    return times.some((time) =>
      spans.some((span) => [time + span, time - span].some((each) => (each + 1440) % 1440 === minutes)),
    );
  }
}

/** Numbers of data have no unit. */
const isSameKind = (operand: string | undefined, fact: string | undefined): boolean =>
  operand === fact || operand === undefined || (fact === undefined && operand !== "percent");

const tolerance = ({ decimals = 0 }: Fact): number => (decimals > 0 ? 0.5 * 10 ** -decimals : 1e-6);

/** True when the sum of numbers that follow each other is the one that is looked for. */
function hasRun(values: readonly number[], isIt: (sum: number) => boolean): boolean {
  const list = values.slice(0, maxOperands);
  return list.some((_, from) => {
    let sum = 0;
    return list.slice(from).some((value, length) => {
      sum += value;
      return length >= 2 && isIt(sum);
    });
  });
}

/** "Tomorrow" says something only where today's date is known. */
const isStatement = ({ kind, wanted: [key = ""] }: Fact, today: CalendarDate | undefined): boolean =>
  kind !== "day" || key.startsWith("w:") || today !== undefined;

const quoted = /["“„«]([^"“”„«»\n]{2,80})["”“»]/gu;
const plainAnswers = /^(?:yes|no|ok|okay|ja|nein|oui|non|sí|no|confirm|cancel|stop|hello|hi|thanks)\b/i;

/** Names in quotation marks: a few words, one of them with a capital. */
function findNames(reply: string): Fact[] {
  if (!/["“„«]/u.test(reply)) return [];
  return [...reply.matchAll(quoted).take(mostNames)].flatMap(({ 0: whole, 1: inner = "", index }) => {
    const name = dropEnd(inner.replace(/^[\s*_]+/u, ""), " \t\r\n\u00a0*_.,;:!?");
    const words = name.split(/\s+/u);
    if (words.length > 8 || !/\p{Lu}\p{L}/u.test(name) || plainAnswers.test(name)) return [];
    // A quoted sentence is a wording, not a name.
    const capitals = words.filter((word) => /^[\p{Lu}\p{N}]/u.test(word)).length;
    if (capitals * 2 < words.length) return [];
    return [
      {
        kind: "name" as const,
        start: index,
        end: index + whole.length,
        wanted: [name.toLowerCase().replaceAll("_", " ")],
        gives: [],
      },
    ];
  });
}

/** The most similar fact of the same kind. */
function nearestTo(fact: Fact, text: string, index: SourceIndex): UngroundedFact["nearest"] {
  let best: { text: string; source: string } | undefined;
  let smallest = Number.POSITIVE_INFINITY;
  let seen = 0;
  for (const candidate of index.candidates()) {
    if (candidate.fact.kind !== fact.kind) continue;
    if (++seen > maxCandidates) break;
    const distance = distanceOf(fact, text, candidate.fact, candidate.text);
    if (distance >= smallest) continue;
    smallest = distance;
    best = { text: candidate.text, source: candidate.source };
  }
  return best;
}

const maxCandidates = 20_000;

function distanceOf(fact: Fact, text: string, other: Fact, otherText: string): number {
  if (fact.value !== undefined && other.value !== undefined) {
    const difference =
      Math.abs(Math.abs(fact.value) - Math.abs(other.value)) /
      Math.max(Math.abs(fact.value), Math.abs(other.value), 1e-9);
    return difference + (fact.unit === other.unit ? 0 : other.unit === undefined ? 0.1 : 1);
  }
  if (fact.date && other.date) return Math.abs(dayNumber(fact.date) - dayNumber(other.date));
  if (fact.minutes !== undefined && other.minutes !== undefined) return Math.abs(fact.minutes - other.minutes);
  return 1 - sharedCharacters(text.toLowerCase(), otherText.toLowerCase());
}

const dayNumber = ({ year, month, day = 1 }: CalendarDate): number => ((year ?? 2000) % 100) * 372 + month * 31 + day;

/** The share of places with the same character, from both ends. */
function sharedCharacters(left: string, right: string): number {
  const length = Math.min(left.length, right.length, 100);
  let same = 0;
  for (let index = 0; index < length; index++) {
    if (left[index] === right[index]) same++;
  }
  return same / Math.max(left.length, right.length, 1);
}

const todayCue =
  /\b(?:current|currently|today|now|heute|heutige|aktuell|aktuelle|jetzt|aujourd|actuelle?|hoy|actual|fecha|datum|date)\b[^\n]{0,60}$/iu;

/** The date of a conversation: that of the scenario, or the one that the system prompt calls today's. */
export function dateOfConversation(given: unknown, systemPrompt: string | undefined): CalendarDate | undefined {
  if (typeof given === "string") {
    const fact = findFacts(given).find(({ date }) => date?.year !== undefined && date.day !== undefined);
    if (fact?.date) return fact.date;
  }
  if (systemPrompt === undefined) return undefined;
  const { facts } = factsOf(systemPrompt);
  for (const { fact } of facts) {
    if (fact.date?.year === undefined || fact.date.day === undefined) continue;
    if (todayCue.test(systemPrompt.slice(Math.max(0, fact.start - 80), fact.start))) return fact.date;
  }
  return undefined;
}
