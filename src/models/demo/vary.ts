import { pick, type Random } from "./random.ts";

const openings: readonly [string, ...string[]] = ["Sure! ", "Thanks for asking. ", "Of course. "];

/** The same answer with other words around it. */
export function reword(text: string, random: Random): string {
  return `${pick(random, openings)}${text}`;
}

/** A mistake made from a right answer: a figure that is off or, without figures, an answer that breaks off. */
export function spoil(text: string, random: Random): string {
  const shift = pick(random, [1, 2, 7]);
  const shifted = text.replace(/\d+(?!.*\d)/s, (digits) => String(Number(digits) + shift));
  if (shifted !== text) return shifted;
  const words = text.split(" ");
  return words.slice(0, Math.ceil(words.length / 2)).join(" ");
}
