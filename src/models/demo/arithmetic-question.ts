const words: readonly (readonly [RegExp, string])[] = [
  [/(?<=\d),(?=\d{3}(?!\d))/g, ""],
  [/(\d+(?:\.\d+)?)\s*(?:%|percent)\s+of\s+/gi, "$1 / 100 * "],
  [/[×⋅]|(?<=[\d)]\s*)x(?=\s*[\d(])|\bmultiplied by\b|\btimes\b/gi, "*"],
  [/÷|\bdivided by\b/gi, "/"],
  [/[−–]|\bminus\b/gi, "-"],
  [/\bplus\b/gi, "+"],
];

// Asked for outright, or nothing else said: "it took 2-3 days" is not a sum.
const question =
  /(?:^|\b(?:what(?:'s|’s| is| are)?|how much (?:is|are)|calculate|compute|evaluate|work out|solve)\s+)([\d(-][\d\s.+\-*/()^]*)(?=\s*(?:$|[?=!,;:]|and\b|please\b|for me\b|then\b))/i;
const operation = /[\d)]\s*[+\-*/^]\s*[-(\d]/;
const longest = 300;

/** The sum a user asks for, written for a calculator, or null: `what is 12 times 4?` → `12 * 4`. */
export function findArithmetic(text: string): string | null {
  const rewritten = words.reduce((result, [pattern, sign]) => result.replaceAll(pattern, sign), text.slice(0, longest));
  const found = question.exec(rewritten.trim())?.[1] ?? "";
  const expression = found
    .replaceAll(/\s+/g, " ")
    .replace(/[\s.+\-*/^]+$/, "")
    .trim();
  return operation.test(expression) && isBalanced(expression) ? expression : null;
}

function isBalanced(expression: string): boolean {
  let open = 0;
  for (const sign of expression) {
    if (sign === "(") open += 1;
    if (sign === ")") open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}
