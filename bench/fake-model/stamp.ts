/** Holds the place of the time in a text that is made beforehand: as long as any time. */
export const stampPlace = "at-0000000000000000";

/** The time as a word, on the clock that all processes of a machine share. */
export function stampNow(): string {
  return `at-${String(microseconds()).padStart(16, "0")}`;
}

/** Milliseconds since the time in this text; null when it holds none. */
export function sinceStamp(text: string): number | null {
  const stamp = /at-(\d{16})/.exec(text)?.[1];
  return stamp === undefined ? null : (microseconds() - Number(stamp)) / 1000;
}

function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
