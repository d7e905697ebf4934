import { pDigits } from "../../src/contract/p-digits.ts";

/** 0.102 → "+0.10". A difference too small to show is not shown as none. */
export function formatEffect(value: number): string {
  const text = Math.abs(value).toFixed(2);
  if (value === 0) return text;
  const sign = value < 0 ? "−" : "+";
  return text === "0.00" ? `${sign}<0.01` : sign + text;
}

export function formatP(p: number | null): string {
  return p === null ? "–" : pDigits(p);
}
