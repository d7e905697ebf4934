/** Where a line begins and ends, as a pattern of JavaScript without flags says it, and as one of RE2 does wherever it stands. */
export const lineEnds = {
  script: { start: String.raw`(?<![^\n])`, end: String.raw`(?![^\n])` },
  linear: { start: "(?m:^)", end: "(?m:$)" },
} as const;
