interface Ends {
  readonly ci_lower: number | null;
  readonly ci_upper: number | null;
}

/** A figure with its interval, where there is one: "0.81 [0.75, 0.87]". */
export function withRange(text: string, { ci_lower, ci_upper }: Ends, write: (value: number) => string): string {
  return ci_lower === null || ci_upper === null ? text : `${text} [${write(ci_lower)}, ${write(ci_upper)}]`;
}
