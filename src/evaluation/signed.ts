/** A difference with its sign: 0.1 → "+0.100". What rounds to nothing has none. */
export function signed(value: number): string {
  const text = Math.abs(value).toFixed(3);
  return Number(text) === 0 ? text : `${value < 0 ? "-" : "+"}${text}`;
}
