/** Routes that take a whole evaluation: the costly ones, in a file of their own so that both halves run side by side. */
export function isEvaluating(path: string): boolean {
  return ["/evaluate", "/estimate", "/judges/audit"].includes(path);
}
