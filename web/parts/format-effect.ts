import { figureText } from "../../src/contract/figure-text.ts";
import { pDigits } from "../../src/contract/p-digits.ts";

/** 0.102 → "+0.10", 0.003 → "+0.003", 0.0002 → "+0.0002". A difference too small for two digits is not shown as none. */
export function formatEffect(value: number): string {
  if (value === 0) return "0.00";
  const size = Math.abs(value);
  return (value < 0 ? "−" : "+") + (size < 0.005 ? figureText(size) : size.toFixed(2));
}

export function formatP(p: number | null): string {
  return p === null ? "–" : pDigits(p);
}
