import { InvalidArgumentError } from "commander";

/** For repeatable options. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** For a repeatable option that has a `--no-` form; the later of the two counts. */
export function collectUnlessNone(value: string, earlier: readonly string[] | false = []): string[] {
  return [...(earlier === false ? [] : earlier), value];
}

/** For options with several values, repeated or separated by commas. */
export function collectList(value: string, earlier: readonly string[] = []): string[] {
  const entries = value.split(",").map((entry) => entry.trim());
  return [...earlier, ...entries.filter((entry) => entry !== "")];
}

export function wholeNumber(minimum: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && Number.isSafeInteger(number) && number >= minimum) return number;
    throw new InvalidArgumentError(`It must be a whole number of at least ${minimum}.`);
  };
}

export function priorityNumber(value: string): number {
  if (/^-?\d{1,3}$/.test(value) && Math.abs(Number(value)) <= 100) return Number(value);
  throw new InvalidArgumentError("It must be a whole number from -100 to 100.");
}

/** A port, kept as text because it overrides a setting's text. 0: any free port. */
export function portNumber(value: string): string {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return value;
  throw new InvalidArgumentError("It must be a whole number from 0 to 65535.");
}

/** Refuses an empty value, which an unset shell variable leaves: it must not mean the default folder. */
export function folderPath(value: string): string {
  if (value.trim() !== "") return value;
  throw new InvalidArgumentError("It must name a folder.");
}

/** Refuses an empty name, which an unset shell variable leaves. */
export function nonEmptyName(value: string): string {
  if (value.trim() !== "") return value;
  throw new InvalidArgumentError("It must not be empty.");
}

/** A share as in gates: 0.02 or 2%. */
export function shareNumber(value: string): number {
  const { figure, percent } = /^(?<figure>\d+(?:\.\d+)?|\.\d+)\s*(?<percent>%)?$/.exec(value.trim())?.groups ?? {};
  const number = figure === undefined ? Number.NaN : Number(figure) / (percent === undefined ? 1 : 100);
  if (number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError("It must be a share from 0 to 1, such as 0.02 or 2%.");
}

/** Joins the margins of repeated options. They are read later: loading their schema would slow down --help. */
export const joinMargins = (value: string, earlier?: string): string =>
  earlier === undefined ? value : `${earlier},${value}`;

/** A limit above 0. */
export function positiveNumber(value: string): number {
  const number = Number(value);
  if (value.trim() !== "" && number > 0 && Number.isFinite(number)) return number;
  throw new InvalidArgumentError("It must be a number above 0.");
}
