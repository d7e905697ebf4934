import { dropEnd } from "../../base/text.ts";
import { toTokens, type Token } from "./tokens.ts";
import {
  approximately,
  countedLabels,
  currencies,
  dollars,
  months,
  morningWords,
  multipliers,
  numberWords,
  relativeDays,
  timesOfDay,
  unitAdjectives,
  units,
  weekdays,
  isVocabulary,
} from "./vocabulary.ts";

export type FactKind = "number" | "date" | "day" | "time" | "id" | "email" | "url" | "name";

/** A statement in a text that a source can have or lack. */
export interface Fact {
  readonly kind: FactKind;
  readonly start: number;
  readonly end: number;
  /** The fact holds where a source has one of these. */
  readonly wanted: readonly string[];
  /** Found in a source, it gives all of these. */
  readonly gives: readonly string[];
  /** The value of a number, and its unit: `USD`, `time`, `percent`, … */
  readonly value?: number;
  /** The number as it is written, in its own unit. */
  readonly raw?: number;
  readonly unit?: string;
  /** Digits after the point. */
  readonly decimals?: number;
  /** The text says that the number is rounded. */
  readonly approximate?: boolean;
  /** Too common to be a statement of its own, such as 1 or the number of a list item: it only gives. */
  readonly minor?: boolean;
  /** What a date says: year, month and day, as far as it does. */
  readonly date?: CalendarDate;
  readonly minutes?: number;
  /** Set for "the 6th". */
  readonly ordinal?: number;
}

export interface CalendarDate {
  readonly year?: number | undefined;
  readonly month: number;
  readonly day?: number | undefined;
}

/** A number as it stands in keys. */
export const figure = (value: number): string => {
  const size = Math.abs(value);
  return String(Number.isSafeInteger(size) ? size : Number(size.toPrecision(12)));
};

export const dateKey = ({ year, month, day }: CalendarDate): string => `${year ?? ""}-${month}-${day ?? ""}`;

/** The key of a time on the day after: `03:00+1`. */
export const laterDay = "later:1";

/** The facts of a text, in their order. */
export function findFacts(text: string): Fact[] {
  return new FactReader(text).read();
}

/** The facts of a number that stands as such in data. */
export function factOfNumber(value: number): Fact {
  return numberFact({ values: [value], decimals: 0, start: 0, end: 0 });
}

interface ReadNumber {
  /** Both readings of 1.000 and of 1,000. */
  readonly values: readonly number[];
  readonly decimals: number;
  /** The digits alone. */
  readonly digits: string;
  /** The next token. */
  readonly next: number;
  readonly isPlain: boolean;
}

class FactReader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #facts: Fact[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#tokens = toTokens(text);
  }

  read(): Fact[] {
    for (let index = 0; index < this.#tokens.length;) {
      const next = this.#readAt(index);
      index = next > index ? next : index + 1;
    }
    return this.#facts;
  }

  /** Reads the fact that begins at a token; returns the token after it, or the same one where none begins. */
  #readAt(index: number): number {
    const token = this.#tokens[index] as Token;
    switch (token.type) {
      case "url":
        return this.#add(index + 1, addressFact("url", token, normalizeUrl(token.text)));
      case "email":
        return this.#add(index + 1, addressFact("email", token, dropEnd(token.lower, ".")));
      case "digits":
        return this.#digitsAt(index);
      case "mixed":
        return this.#mixedAt(index);
      case "word":
        return this.#wordAt(index);
      default:
        return index;
    }
  }

  #add(next: number, ...facts: readonly Fact[]): number {
    for (const fact of facts) this.#facts.push(fact);
    return next;
  }

  #at(index: number): Token | undefined {
    return this.#tokens[index];
  }

  /** True when no white space stands before the token. */
  #joined(index: number): boolean {
    const [before, token] = [this.#tokens[index - 1], this.#tokens[index]];
    return before !== undefined && token !== undefined && before.end === token.start;
  }

  #is(index: number, sign: string): boolean {
    return this.#tokens[index]?.text === sign;
  }

  #digitsAt(index: number): number {
    return (
      this.#numericDateAt(index) ||
      this.#codeAt(index) ||
      this.#clockAt(index) ||
      this.#dayMonthAt(index) ||
      this.#phoneAt(index) ||
      this.#numberAt(index)
    );
  }

  /** A code of joined parts, at least one with letters: `HAT-136`, `AB-12-CD`, `4711-X`. */
  #codeAt(index: number): number {
    if (!this.#joined(index + 1)) return 0;
    let end = index;
    const isPart = (token: Token | undefined): boolean =>
      token?.type === "digits" || token?.type === "mixed" || token?.type === "word";
    while (
      end - index < 12 &&
      /^[-/#]$/.test(this.#at(end + 1)?.text ?? "") &&
      this.#joined(end + 1) &&
      this.#joined(end + 2) &&
      isPart(this.#at(end + 2))
    )
      end += 2;
    if (end === index) return 0;
    const [first, last] = [this.#tokens[index] as Token, this.#tokens[end] as Token];
    const text = this.#text.slice(first.start, last.end);
    const parts = this.#tokens.slice(index, end + 1).filter(({ type }) => type !== "sign");
    const hasDigits = parts.some(({ type }) => type !== "word");
    const isUpper = parts.every(({ type, text: part }) => type === "digits" || part === part.toUpperCase());
    const isUnit = parts.length === 2 && parts[0]?.type === "digits" && units.has(parts[1]?.lower ?? "");
    const isMonth = parts.some(({ lower }) => months.has(lower));
    if (!hasDigits || !isUpper || isUnit || isMonth || !parts.some(({ type }) => type !== "digits")) return 0;
    return this.#add(end + 1, idFact(text, first.start, last.end));
  }

  /** 2024-05-20, 20.05.2024, 5/20/2024, 20.5. and 5/20. */
  #numericDateAt(index: number): number {
    const [first, second, third] = [0, 2, 4].map((offset) => this.#at(index + offset)) as [Token, Token?, Token?];
    const sign = this.#at(index + 1)?.text ?? "";
    if (!/^[-./–]$/.test(sign) || !this.#joined(index + 1) || second?.type !== "digits" || !this.#joined(index + 2))
      return 0;
    const isLong = this.#is(index + 3, sign) && this.#joined(index + 3) && this.#joined(index + 4);
    const thirdText =
      third?.type === "digits"
        ? third.text
        : /^\d{2}T\d{2}$/.test(third?.text ?? "")
          ? third?.text.slice(0, 2)
          : undefined;
    if (isLong && third && thirdText !== undefined) {
      const dates = datesOf(first.text, second.text, thirdText);
      if (dates.length === 0) return 0;
      const end = third.start + thirdText.length;
      const next = this.#add(index + 5, dateFact(dates, first.start, end));
      return third.type === "mixed" ? this.#timeAfterDate(third, index + 5) : next;
    }
    if (sign === "/" && first.text.length <= 2 && second.text.length <= 2 && !this.#is(index + 3, "/")) {
      const [left, right] = [Number(first.text), Number(second.text)];
      if (left === 24 && right === 7) return index + 3;
      const dates = datesOf(String(left), String(right), "");
      if (dates.length > 0) {
        const fact = dateFact(dates, first.start, second.end);
        const fraction = figure(left / right);
        return this.#add(index + 3, {
          ...fact,
          wanted: [...fact.wanted, `a:${fraction}`, `a:${left}/${right}`],
          gives: [...fact.gives, `a:${left}/${right}`],
        });
      }
    }
    if (
      sign === "." &&
      this.#is(index + 3, ".") &&
      this.#joined(index + 3) &&
      first.text.length <= 2 &&
      second.text.length <= 2
    ) {
      const dates = datesOf(first.text, second.text, "").filter(({ day }) => day === Number(first.text));
      if (dates.length > 0 && !currencies.has(this.#at(index - 1)?.lower ?? "")) {
        // At the end of a sentence it may be a number as well.
        const fact = dateFact(dates, first.start, second.end + 1);
        const number = `a:${figure(Number(`${first.text}.${second.text}`))}`;
        return this.#add(index + 4, { ...fact, wanted: [...fact.wanted, number], gives: [...fact.gives, number] });
      }
    }
    return 0;
  }

  /** The time in 2024-05-20T15:00:00. `third` is its token `20T15`. */
  #timeAfterDate(third: Token, next: number): number {
    const hour = Number(third.text.slice(3));
    const minute = this.#is(next, ":") ? Number(this.#at(next + 1)?.text.slice(0, 2) ?? 0) : 0;
    const after = this.#is(next, ":") ? next + 2 : next;
    const done = this.#is(after, ":") && this.#joined(after) ? after + 2 : after;
    const end = this.#tokens[done - 1]?.end ?? third.end;
    const isMidnight = hour === 0 && minute === 0;
    return isMidnight ? done : this.#add(done, timeFact([hour * 60 + minute], third.end - 2, end));
  }

  /** 15:00, 3:00 pm, 15.30 Uhr, 3 pm, 15 Uhr, 15 h 30. */
  #clockAt(index: number): number {
    const hours = this.#tokens[index] as Token;
    if (hours.text.length > 2) return 0;
    const hour = Number(hours.text);
    const separator = this.#at(index + 1)?.text ?? "";
    const minutes = this.#at(index + 2);
    const isPair =
      (separator === ":" || separator === ".") &&
      this.#joined(index + 1) &&
      this.#joined(index + 2) &&
      /^[0-5]\d/.test(minutes?.text ?? "");
    const attached = isPair ? /^([0-5]\d)(am|pm|h|uhr)?$/i.exec(minutes?.text ?? "") : null;
    if (isPair && attached) {
      let next = index + 3;
      if (
        separator === ":" &&
        this.#is(next, ":") &&
        this.#joined(next) &&
        /^\d\d$/.test(this.#at(next + 1)?.text ?? "")
      )
        next += 2;
      const half = attached[2] ? { half: attached[2].toLowerCase(), next } : this.#halfDay(next);
      if (separator === "." && half.half === undefined) return 0;
      this.#dayLater(half.next);
      return this.#addTime(hour, Number(attached[1]), { ...half, start: hours.start });
    }
    const { half, next } = this.#halfDay(index + 1);
    if (half === undefined) return 0;
    if (
      (half === "h" || half === "uhr") &&
      /^[0-5]\d$/.test(this.#at(next)?.text ?? "") &&
      this.#at(next)?.type === "digits"
    )
      return this.#addTime(hour, Number(this.#at(next)?.text), { half, next: next + 1, start: hours.start });
    // "15 h" alone is as often a duration.
    if (half === "h") return 0;
    return this.#addTime(hour, 0, { half, next, start: hours.start });
  }

  /** "03:00+1" arrives a day later. */
  #dayLater(index: number): void {
    const days = this.#at(index + 1);
    if (!this.#is(index, "+") || !this.#joined(index) || !/^[1-3]$/.test(days?.text ?? "") || !days) return;
    const unit = { of: "time", size: 1440 };
    const fact = numberFact({
      values: [Number(days.text)],
      decimals: 0,
      start: days.start,
      end: days.end,
      unit,
      minor: true,
    });
    this.#facts.push({ ...fact, gives: [...fact.gives, laterDay] });
  }

  /** The word after the digits of a time: am, p.m., Uhr, h. */
  #halfDay(index: number): { readonly half?: string; readonly next: number } {
    const word = this.#at(index)?.lower ?? "";
    if (/^(?:am|pm|uhr|h)$/.test(word)) return { half: word, next: index + 1 };
    if (/^[ap]$/.test(word) && this.#is(index + 1, ".") && this.#at(index + 2)?.lower === "m")
      return { half: `${word}m`, next: this.#is(index + 3, ".") ? index + 4 : index + 3 };
    return { next: index };
  }

  #addTime(
    hour: number,
    minute: number,
    { half, next, start }: { half?: string | undefined; next: number; start: number },
  ): number {
    if (hour > 24)
      return half === undefined ? 0 : this.#add(next, impossible(start, this.#tokens[next - 1]?.end ?? start));
    const end = this.#tokens[next - 1]?.end ?? start;
    const base = hour * 60 + minute;
    if (half === "am" || half === "pm") {
      if (hour > 12) return this.#add(next, timeFact([base], start, end));
      return this.#add(next, timeFact([(hour % 12) * 60 + minute + (half === "pm" ? 720 : 0)], start, end));
    }
    const isOpen = hour <= 12 && half === undefined && this.#text[start] !== "0";
    return this.#add(next, timeFact(isOpen ? [base % 1440, (base + 720) % 1440] : [base % 1440], start, end));
  }

  /** 20 May 2024, 20. Mai, 20 de mayo de 2024, 20th of May. */
  #dayMonthAt(index: number): number {
    const token = this.#tokens[index] as Token;
    const day = Number(/^(\d{1,2})(?:st|nd|rd|th|er)?$/.exec(token.lower)?.[1]);
    if (!(day >= 1 && day <= 31)) return 0;
    let at = index + 1;
    if (this.#is(at, ".") || this.#is(at, "º") || this.#is(at, "ª")) at++;
    if (/^(?:of|de|du)$/.test(this.#at(at)?.lower ?? "")) at++;
    const month = months.get(this.#at(at)?.lower ?? "");
    if (month === undefined) return 0;
    at++;
    if (this.#is(at, ".") && this.#joined(at) && /^\d{4}$/.test(this.#at(at + 1)?.text ?? "")) at++;
    const { year, next } = this.#yearAt(at);
    return this.#add(next, dateFact([{ year, month, day }], token.start, this.#tokens[next - 1]?.end ?? token.end));
  }

  #yearAt(index: number): { readonly year: number | undefined; readonly next: number } {
    let at = index;
    if (this.#is(at, ",")) at++;
    if (/^(?:de|del)$/.test(this.#at(at)?.lower ?? "")) at++;
    const text = this.#at(at)?.text ?? "";
    return /^(?:19|20)\d\d$/.test(text) ? { year: Number(text), next: at + 1 } : { year: undefined, next: index };
  }

  /** +1 800 555-0100, (030) 123 4567, 555-123-4567. */
  #phoneAt(index: number): number {
    const first = this.#tokens[index] as Token;
    const isMarked = this.#is(index - 1, "+") || this.#is(index - 1, "(") || first.text.startsWith("0");
    let end = index;
    let digits = first.text;
    let signs = 0;
    for (let at = index + 1; at - index < 20; at++) {
      const token = this.#at(at);
      const gap = token ? token.start - (this.#tokens[at - 1] as Token).end : 2;
      if (!token || gap > 1 || token.type === "line") break;
      if (token.type === "digits") {
        digits += token.text;
        end = at;
        if (gap === 1) signs++;
      } else if (/^[-()./]$/.test(token.text)) signs++;
      else break;
    }
    const isPhone =
      digits.length >= 8 &&
      digits.length <= 15 &&
      end > index &&
      (isMarked ? signs >= 1 : /^\d{3}$/.test(first.text) && signs >= 2 && digits.length >= 10);
    if (!isPhone) return 0;
    const last = this.#tokens[end] as Token;
    return this.#add(end + 1, {
      kind: "id",
      start: first.start,
      end: last.end,
      wanted: [`i:${digits}`],
      gives: [`i:${digits}`],
    });
  }

  #numberAt(index: number): number {
    const read = this.#readNumber(index);
    const token = this.#tokens[index] as Token;
    const isItem = this.#isListItem(index, read.next);
    const before = this.#at(index - 1);
    const currencyBefore = before && currencies.get(before.lower);
    const scaled = this.#scaleAt(read.next);
    const values = read.values.map((value) => value * scaled.by);
    const unitAfter = this.#unitAt(scaled.next);
    const currency = currencyBefore ?? unitAfter.currency;
    const next = unitAfter.next;
    const last = this.#tokens[next - 1] as Token;
    const small = values.every((value) => value <= 1) && currency === undefined && unitAfter.unit === undefined;
    const isLabel = countedLabels.has(before?.lower ?? "") && values.every((value) => value <= 20);
    const isHour = this.#at(scaled.next)?.lower === "h" && unitAfter.unit !== undefined;
    const fact = numberFact({
      hours: isHour && read.isPlain ? Number(read.digits) : undefined,
      values,
      decimals: scaled.by === 1 ? read.decimals : 0,
      start: currencyBefore !== undefined && before ? before.start : token.start,
      end: last.end,
      currency,
      unit: unitAfter.unit,
      approximate:
        scaled.by !== 1 ||
        approximately.has((currencyBefore === undefined ? before : this.#at(index - 2))?.lower ?? ""),
      minor: isItem || small || isLabel,
      digits: read.isPlain && currency === undefined && unitAfter.unit === undefined ? read.digits : undefined,
      ending: currency === undefined && this.#endsSomething(index),
      step: scaled.by === 1 ? undefined : scaled.by / 10 ** read.decimals,
    });
    const combined = this.#combined(fact);
    return this.#add(next, ...(combined ? [combined] : [fact]));
  }

  /** "1 hour 30 minutes" is one duration: joins a number of minutes with the hours before it. */
  #combined(fact: Fact): Fact | undefined {
    const before = this.#facts.at(-1);
    if (fact.unit !== "time" || before?.unit !== "time" || before.value === undefined || fact.value === undefined)
      return undefined;
    const between = this.#text.slice(before.end, fact.start);
    if (!/^(?:,? (?:and|und|et|y) |,? ?)$/.test(between) || fact.value >= before.value) return undefined;
    this.#facts.pop();
    return numberFact({
      values: [before.value + fact.value],
      decimals: 0,
      start: before.start,
      end: fact.end,
      unit: { of: "time", size: 1 },
    });
  }

  #readNumber(index: number): ReadNumber {
    let raw = (this.#tokens[index] as Token).text;
    let at = index + 1;
    for (; at - index < 24; at += 2) {
      const [sign, digits] = [this.#at(at), this.#at(at + 1)];
      if (!sign || digits?.type !== "digits" || !this.#joined(at) || !this.#joined(at + 1)) break;
      if (!/^[.,'’]$/.test(sign.text)) break;
      raw += (sign.text === "’" ? "'" : sign.text) + digits.text;
    }
    // Groups of three with spaces between them.
    if (/^\d{1,3}$/.test(raw)) {
      let grouped = raw;
      let after = at;
      for (; after - at < 8; after++) {
        const token = this.#at(after);
        const gap = this.#text.slice(this.#tokens[after - 1]?.end, token?.start);
        if (token?.type !== "digits" || token.text.length !== 3 || !/^[ \u00a0\u202f\u2009]$/.test(gap)) break;
        grouped += token.text;
      }
      if (after > at) {
        const { values, decimals, next } = this.#fractionAfter(grouped, after);
        return { values, decimals, digits: grouped, next, isPlain: false };
      }
    }
    const { values, decimals } = readingsOf(raw);
    return { values, decimals, digits: raw.replace(/\D/g, ""), next: at, isPlain: /^\d+$/.test(raw) };
  }

  #fractionAfter(whole: string, at: number): { values: readonly number[]; decimals: number; next: number } {
    const digits = this.#at(at + 1);
    if (
      /^[.,]$/.test(this.#at(at)?.text ?? "") &&
      this.#joined(at) &&
      this.#joined(at + 1) &&
      digits?.type === "digits"
    )
      return { values: [Number(`${whole}.${digits.text}`)], decimals: digits.text.length, next: at + 2 };
    return { values: [Number(whole)], decimals: 0, next: at };
  }

  #scaleAt(index: number): { readonly by: number; readonly next: number } {
    const token = this.#at(index);
    const by = token?.type === "word" ? multipliers.get(token.lower) : undefined;
    return by === undefined ? { by: 1, next: index } : { by, next: index + 1 };
  }

  /** The unit or the currency after a number. */
  #unitAt(index: number): {
    readonly unit?: { of: string; size: number };
    readonly currency?: string;
    readonly next: number;
  } {
    let at = index;
    if (this.#is(at, "-") && this.#joined(at) && units.has(this.#at(at + 1)?.lower ?? "")) at++;
    if (this.#is(at, "%")) return { unit: { of: "percent", size: 1 }, next: at + 1 };
    for (let skipped = 0; skipped < 2 && unitAdjectives.has(this.#at(at)?.lower ?? ""); skipped++) {
      if (
        units.has(this.#at(at)?.lower ?? "") &&
        !unitAdjectives.has(this.#at(at + 1)?.lower ?? "") &&
        !units.has(this.#at(at + 1)?.lower ?? "")
      )
        break;
      at++;
    }
    const word = this.#at(at)?.lower ?? "";
    const currency = currencies.get(word);
    if (currency !== undefined) return { currency, next: at + 1 };
    const unit = units.get(word);
    // "2 m" and "5 an": short forms are units only where nothing else can follow.
    if (unit) return { unit, next: at + 1 };
    return { next: index };
  }

  /** The number of a list item, or of something that the reply lists. */
  #isListItem(index: number, next: number): boolean {
    let before = index - 1;
    while (/^[*_#>-]$/.test(this.#at(before)?.text ?? "") && this.#at(before)?.type === "sign") before--;
    const begins = before < 0 || this.#at(before)?.type === "line";
    return begins && /^[.):]$/.test(this.#at(next)?.text ?? "") && Number(this.#at(index)?.text) <= 100;
  }

  /** "ending in 7447": the end of a longer number. */
  #endsSomething(index: number): boolean {
    const words = [1, 2, 3].map((back) => this.#at(index - back)?.lower ?? "");
    return words.some((word) =>
      /^(?:ending|ends|endet|endend|endende|endung|terminant|termine|termina|terminada|terminado|acaba|last|letzten|derniers|últimos)$/.test(
        word,
      ),
    );
  }

  /** A token of letters and digits: a code, an ordinal, a time, or a number with its unit. */
  #mixedAt(index: number): number {
    const token = this.#tokens[index] as Token;
    const clock = /^(\d{1,2})(am|pm|uhr|h)(\d{2})?$/.exec(token.lower);
    if (clock && (clock[2] !== "h" || clock[3] !== undefined))
      return this.#addTime(Number(clock[1]), Number(clock[3] ?? 0), {
        half: clock[2],
        next: index + 1,
        start: token.start,
      });
    const dated = this.#dayMonthAt(index);
    if (dated > 0) return dated;
    const ordinal = /^(\d{1,3})(?:st|nd|rd|th|er|ère|ème|º|ª)$/.exec(token.lower);
    if (ordinal) {
      const value = Number(ordinal[1]);
      const keys = [`a:${value}`, `dd:${value}`];
      return this.#add(index + 1, {
        kind: "number",
        start: token.start,
        end: token.end,
        wanted: keys,
        gives: [`a:${value}`, `n:${value}`],
        value,
        ordinal: value,
        minor: value <= 3,
      });
    }
    const measured = /^(\d{1,12})(\p{L}{1,12})$/u.exec(token.lower);
    const word = measured?.[2] ?? "";
    const [unit, currency, by] = [units.get(word), currencies.get(word), multipliers.get(word)];
    if (measured && (unit ?? currency ?? by) !== undefined) {
      const fact = numberFact({
        hours: word === "h" ? Number(measured[1]) : undefined,
        values: [Number(measured[1]) * (by ?? 1)],
        decimals: 0,
        start: token.start,
        end: token.end,
        unit,
        currency,
        approximate: by !== undefined,
      });
      return this.#add(index + 1, this.#combined(fact) ?? fact);
    }
    return this.#codeAt(index) || this.#add(index + 1, idFact(token.text, token.start, token.end));
  }

  #wordAt(index: number): number {
    const token = this.#tokens[index] as Token;
    const { lower } = token;
    if (!isVocabulary(lower)) return this.#codeAt(index);
    const month = months.get(lower);
    if (month !== undefined) {
      const dated = this.#monthDayAt(index, month);
      if (dated > 0) return dated;
    }
    const weekday = weekdays.get(lower);
    if (weekday !== undefined) return this.#add(index + 1, dayFact(`w:${weekday}`, token));
    const relative = relativeDays.get(lower);
    if (relative !== undefined) {
      const before = this.#at(index - 1)?.lower ?? "";
      const isMorning = (lower === "morgen" || lower === "mañana") && morningWords.has(before);
      const isNoun =
        lower === "morgen" && token.text !== lower && index > 0 && !/^[.!?\n]$/.test(this.#at(index - 1)?.text ?? "");
      const isYesterdayOnly = lower === "hier";
      if (!isMorning && !isNoun && !isYesterdayOnly)
        return this.#add(index + 1, { ...dayFact(`x:${relative}`, token), minor: relative === 0 });
    }
    const time = timesOfDay.get(lower);
    if (time !== undefined) return this.#add(index + 1, timeFact([time], token.start, token.end));
    const code = this.#codeAt(index);
    if (code > 0) return code;
    return this.#numberWordAt(index);
  }

  /** May 20th, 2024; May 20–22; May 2024. */
  #monthDayAt(index: number, month: number): number {
    const token = this.#tokens[index] as Token;
    let at = index + 1;
    if (this.#is(at, ".")) at++;
    if (this.#at(at)?.lower === "the") at++;
    const after = this.#at(at);
    const bareYear = this.#yearAt(at);
    if (bareYear.year !== undefined)
      return this.#add(
        bareYear.next,
        dateFact([{ year: bareYear.year, month }], token.start, this.#tokens[bareYear.next - 1]?.end ?? token.end),
      );
    const day = Number(/^(\d{1,2})(?:st|nd|rd|th)?$/.exec(after?.lower ?? "")?.[1]);
    if (!(day >= 1 && day <= 31) || !after) return 0;
    // "May 3:00 pm" is no day.
    if (this.#is(at + 1, ":") && this.#at(at + 2)?.type === "digits" && this.#joined(at + 2)) return 0;
    at++;
    let last: number | undefined;
    if (/^[-–]$/.test(this.#at(at)?.text ?? "") || /^(?:to|and|through|bis)$/.test(this.#at(at)?.lower ?? "")) {
      const found = Number(/^(\d{1,2})(?:st|nd|rd|th)?$/.exec(this.#at(at + 1)?.lower ?? "")?.[1]);
      const isTime = this.#is(at + 2, ":") || /^[ap]m$/.test(this.#at(at + 2)?.lower ?? "");
      if (found > day && found <= 31 && !isTime) {
        last = found;
        at += 2;
      }
    }
    const { year, next } = this.#yearAt(at);
    const end = this.#tokens[next - 1]?.end ?? after.end;
    const facts = [dateFact([{ year, month, day }], token.start, end)];
    if (last !== undefined) facts.push(dateFact([{ year, month, day: last }], token.start, end));
    return this.#add(next, ...facts);
  }

  /** A number word. In a reply it is a statement only beside a unit: "two days". */
  #numberWordAt(index: number): number {
    const token = this.#tokens[index] as Token;
    let at = index + 1;
    let word = token.lower;
    while (
      this.#is(at, "-") &&
      this.#joined(at) &&
      this.#joined(at + 1) &&
      this.#at(at + 1)?.type === "word" &&
      numberWords.has(`${word}-${this.#at(at + 1)?.lower}`)
    ) {
      word = `${word}-${this.#at(at + 1)?.lower}`;
      at += 2;
    }
    const value = numberWords.get(word);
    if (value === undefined) return index;
    const scaled = this.#scaleAt(at);
    const { unit, currency, next } = this.#unitAt(scaled.next);
    const isStatement = (unit !== undefined || currency !== undefined) && value * scaled.by > 1;
    const end = (this.#tokens[next - 1] as Token).end;
    return this.#add(
      next,
      numberFact({
        values: [value * scaled.by],
        decimals: 0,
        start: token.start,
        end,
        unit,
        currency,
        minor: !isStatement,
      }),
    );
  }
}

interface NumberParts {
  readonly values: readonly number[];
  readonly decimals: number;
  readonly start: number;
  readonly end: number;
  readonly unit?: { readonly of: string; readonly size: number } | undefined;
  readonly currency?: string | undefined;
  readonly approximate?: boolean;
  readonly minor?: boolean;
  readonly digits?: string | undefined;
  readonly ending?: boolean;
  readonly step?: number | undefined;
  /** Set for "18 h", which is a time of day as often as a duration. */
  readonly hours?: number | undefined;
}

function numberFact({
  values,
  decimals,
  start,
  end,
  unit,
  currency,
  approximate = false,
  minor = false,
  digits,
  ending,
  step,
  hours,
}: NumberParts): Fact {
  const wanted: string[] = [];
  const gives: string[] = [];
  // Longer numbers are ids: a double would not tell their last digits apart.
  for (const value of (digits?.length ?? 0) > 15 ? [] : values) {
    const plain = figure(value);
    gives.push(`a:${plain}`);
    if (currency !== undefined) {
      wanted.push(`n:${plain}`, `${currency}:${plain}`);
      gives.push(`${currency}:${plain}`);
      if (dollars.has(currency)) {
        wanted.push(`$?:${plain}`);
        gives.push(`$:${plain}`);
      } else if (currency === "$") gives.push(`$?:${plain}`);
    } else if (unit) {
      const base = figure(value * unit.size);
      wanted.push(`n:${plain}`, `${unit.of}:${base}`);
      gives.push(`${unit.of}:${base}`);
      if (unit.of === "percent") wanted.push(`n:${figure(value / 100)}`);
    } else {
      wanted.push(`a:${plain}`);
      gives.push(`n:${plain}`);
    }
  }
  if (hours !== undefined && hours <= 24) {
    wanted.push(`t:${(hours * 60) % 1440}`);
    gives.push(`t:${(hours * 60) % 1440}`);
  }
  if (digits !== undefined && digits.length >= 3) {
    wanted.push(`i:${digits}`);
    gives.push(`i:${digits}`);
  }
  if (ending && digits !== undefined) wanted.push(`end:${digits}`);
  if (digits !== undefined && digits.length >= 6) gives.push(`end:${digits.slice(-4)}`);
  const [value = 0] = values;
  return {
    kind: "number",
    start,
    end,
    wanted,
    gives,
    value: unit && unit.of !== "percent" ? value * unit.size : value,
    raw: value,
    ...((currency ?? unit?.of) !== undefined && { unit: currency ?? unit?.of ?? "" }),
    decimals: step === undefined ? decimals : -Math.round(Math.log10(step)),
    approximate,
    minor,
  };
}

/** 1,000 and 1.000 have two readings, 1.234,5 and 1,234.5 one. */
function readingsOf(raw: string): { readonly values: readonly number[]; readonly decimals: number } {
  const plain = raw.replaceAll("'", "");
  const signs = plain.replace(/\d/g, "");
  if (signs === "") return { values: [Number(plain)], decimals: 0 };
  const last = signs.at(-1) ?? ".";
  const at = plain.lastIndexOf(last);
  const [whole, fraction] = [plain.slice(0, at).replace(/\D/g, ""), plain.slice(at + 1)];
  const asFraction = Number(`${whole}.${fraction}`);
  const asGroups = Number(whole + fraction);
  const isMixed = new Set(signs).size > 1;
  if (isMixed) return { values: [asFraction], decimals: fraction.length };
  if (signs.length > 1) return { values: [asGroups], decimals: 0 };
  if (fraction.length === 3 && whole.length <= 3 && whole !== "0")
    return { values: last === "," ? [asGroups, asFraction] : [asFraction, asGroups], decimals: 0 };
  return { values: [asFraction], decimals: fraction.length };
}

function idFact(text: string, start: number, end: number): Fact {
  const whole = text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const parts = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => /\d/.test(part) && part.length >= 3);
  const numbers = parts.flatMap((part) =>
    /^\d+$/.test(part) ? [`a:${figure(Number(part))}`, `n:${figure(Number(part))}`, `end:${part.slice(-4)}`] : [],
  );
  const minor = commonCodes.has(text.toLowerCase());
  return {
    kind: "id",
    start,
    end,
    wanted: [`i:${whole}`],
    gives: [`i:${whole}`, ...parts.map((part) => `i:${part}`), ...numbers],
    minor,
  };
}

/** Words with digits that name no thing of the conversation. */
const commonCodes: ReadonlySet<string> = new Set(
  "covid-19 b2b b2c mp3 mp4 h2o 2fa 3d 4k 5g 4g 24h 7d co2 utf-8 sha-256 oauth2 html5 css3 ipv4 ipv6 i18n k8s ps5 ps4 2d s3 ec2".split(
    " ",
  ),
);

const addressFact = (kind: "url" | "email", { start, end }: Token, value: string): Fact => {
  const key = `${kind}:${value}`;
  return { kind, start, end: Math.min(end, start + Math.max(value.length, end - start)), wanted: [key], gives: [key] };
};

const normalizeUrl = (url: string): string =>
  dropEnd(
    url
      .toLowerCase()
      .replace(/^https?:\/\//, "")
      .replace(/^www\./, ""),
    "/.",
  );

const dayFact = (key: string, { start, end }: Token): Fact => ({
  kind: "day",
  start,
  end,
  wanted: [key],
  gives: [key],
});

function timeFact(readings: readonly number[], start: number, end: number): Fact {
  const keys = readings.map((minutes) => `t:${minutes % 1440}`);
  return { kind: "time", start, end, wanted: keys, gives: keys, minutes: (readings[0] ?? 0) % 1440 };
}

/** A time of day that there is not: no source has it. */
const impossible = (start: number, end: number): Fact => ({ kind: "time", start, end, wanted: ["t:never"], gives: [] });

const daysIn = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The dates that three numbers, or two, may stand for. */
function datesOf(first: string, second: string, third: string): CalendarDate[] {
  const isValid = ({ month, day = 1 }: CalendarDate): boolean =>
    month >= 1 && month <= 12 && day >= 1 && day <= (daysIn[month - 1] ?? 0);
  if (first.length === 4) return [{ year: Number(first), month: Number(second), day: Number(third) }].filter(isValid);
  const year =
    third === ""
      ? undefined
      : third.length === 4
        ? Number(third)
        : third.length === 2
          ? 2000 + Number(third)
          : Number.NaN;
  if (Number.isNaN(year) || first.length > 2 || second.length > 2) return [];
  const [left, right] = [Number(first), Number(second)];
  const both = [
    { year, month: left, day: right },
    { year, month: right, day: left },
  ].filter(isValid);
  return left === right ? both.slice(0, 1) : both;
}

function dateFact(dates: readonly CalendarDate[], start: number, end: number): Fact {
  const wanted: string[] = [];
  const gives: string[] = [];
  for (const { year, month, day } of dates) {
    if (day === undefined) {
      wanted.push(`my:${year}-${month}`);
      gives.push(`my:${year}-${month}`);
    } else {
      wanted.push(
        ...(year === undefined ? [`d:-${month}-${day}`] : [`d:${year}-${month}-${day}`, `dn:${month}-${day}`]),
      );
      gives.push(
        `d:-${month}-${day}`,
        `dd:${day}`,
        ...(year === undefined
          ? [`dn:${month}-${day}`]
          : [`d:${year}-${month}-${day}`, `my:${year}-${month}`, `w:${weekdayOf({ year, month, day })}`]),
      );
    }
    if (year !== undefined) gives.push(`a:${year}`, `n:${year}`);
  }
  return { kind: "date", start, end, wanted, gives, ...(dates[0] && { date: dates[0] }) };
}

export const weekdayOf = ({ year = 2000, month, day = 1 }: CalendarDate): number =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay();
