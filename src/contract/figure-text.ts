/** Below this a figure is off by rounding alone. */
const rounding = 1e-9;

/** 0.8136 → "0.814". What is neither 0 nor 1 is not shown as either: 0.99967 → "0.9997", 0.00002 → "0.00002". */
export function figureText(value: number): string {
  const text = value.toFixed(3);
  const off = Math.abs(value - Math.round(value));
  if (off < rounding || !Number.isInteger(Number(text))) return text;
  return value.toFixed(Math.ceil(-Math.log10(off) - rounding));
}
