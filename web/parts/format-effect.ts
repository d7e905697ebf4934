import { figureText, pDigits } from "../../src/base/numbers.ts";

/** Sums of the same scores in another order differ by this little. */
const rounding = 1e-9;

/** -1, 0 or 1: which way a difference goes. */
export function effectSign(value: number): number {
  return Math.abs(value) < rounding ? 0 : Math.sign(value);
}

/** 0.102 → "+0.10", 0.003 → "+0.003", 0.0002 → "+0.0002". A difference too small for two digits is not shown as none. */
export function formatEffect(value: number): string {
  const sign = effectSign(value);
  if (sign === 0) return "0.00";
  const size = Math.abs(value);
  return (sign < 0 ? "−" : "+") + (size < 0.005 ? figureText(size) : size.toFixed(2));
}

export function formatP(p: number | null): string {
  return p === null ? "–" : pDigits(p);
}
