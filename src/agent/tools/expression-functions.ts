/** A function an expression may call. It may answer NaN or an infinity; the evaluator turns those into errors. */
interface ExpressionFunction {
  readonly least: number;
  readonly most: number;
  readonly apply: (...values: number[]) => number;
}

const unary = (apply: (value: number) => number): ExpressionFunction => ({ least: 1, most: 1, apply });
const many = (apply: (...values: number[]) => number): ExpressionFunction => ({
  least: 1,
  most: Number.POSITIVE_INFINITY,
  apply,
});

export const expressionConstants: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["e", Math.E],
]);

export const expressionFunctions: ReadonlyMap<string, ExpressionFunction> = new Map([
  ["sqrt", unary(Math.sqrt)],
  ["abs", unary(Math.abs)],
  ["round", { least: 1, most: 2, apply: roundTo }],
  ["floor", unary(Math.floor)],
  ["ceil", unary(Math.ceil)],
  ["min", many(Math.min)],
  ["max", many(Math.max)],
  ["log", { least: 1, most: 2, apply: logarithm }],
  ["ln", unary(Math.log)],
  ["exp", unary(Math.exp)],
  ["sin", unary(Math.sin)],
  ["cos", unary(Math.cos)],
  ["tan", unary(Math.tan)],
  ["pow", { least: 2, most: 2, apply: Math.pow }],
]);

/** Half goes away from zero. Works on the decimal spelling, so 1.005 to two digits is 1.01. */
function roundTo(value = 0, digits = 0): number {
  if (!Number.isInteger(digits) || Math.abs(digits) > 15) return Number.NaN;
  const shifted = shift(Math.abs(value), digits);
  return Math.sign(value) * shift(Math.round(shifted), -digits);
}

function shift(value: number, digits: number): number {
  const [mantissa, exponent = "0"] = String(value).split("e");
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}

function logarithm(value = 0, base = 10): number {
  if (base === 10) return Math.log10(value);
  if (base === 2) return Math.log2(value);
  return base > 0 ? Math.log(value) / Math.log(base) : Number.NaN;
}
