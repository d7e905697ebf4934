import { figureText } from "../base/numbers.ts";

/** A difference with its sign: 0.1 → "+0.100". None has none. */
export function signed(value: number): string {
  const text = figureText(Math.abs(value));
  return Number(text) === 0 ? text : `${value < 0 ? "-" : "+"}${text}`;
}
