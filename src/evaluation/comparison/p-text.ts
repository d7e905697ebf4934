import { pDigits } from "../../base/numbers.ts";

/** A p as it stands in a sentence: "= 0.031", "< 0.001". */
export function pText(p: number): string {
  return p < 0.001 ? "< 0.001" : `= ${pDigits(p)}`;
}
