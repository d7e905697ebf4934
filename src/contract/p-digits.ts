/** The p below which a difference is called one. */
export const alpha = 0.05;

/** A p in three digits: "0.031", "<0.001". One below the level is not shown as the level: 0.0498 → "0.0498". */
export function pDigits(p: number): string {
  if (p < 0.001) return "<0.001";
  const digits = [3, 4, 6, 9].find((count) => p >= alpha || Number(p.toFixed(count)) < alpha);
  return p.toFixed(digits ?? 3);
}
