/** Throws where a number cannot be a count: its figures would look like any others, and those of -1 against 3 beyond doubt. */
export function requireCounts(counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts))
    if (!Number.isInteger(count) || count < 0)
      throw new RangeError(`${name} is ${count}: it has to be a whole number of 0 or more`);
}

/** Throws where a part is more than its whole, or less than nothing. */
export function requirePart(name: string, part: number, whole: number): void {
  if (!(part >= 0 && part <= whole)) throw new RangeError(`${name} is ${part}: it has to be from 0 to ${whole}`);
}
