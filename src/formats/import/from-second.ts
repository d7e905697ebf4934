/** All but the first of several, in words: `prompt 2`, `prompts 2 to 5`. */
export const fromSecond = (thing: string, count: number): string =>
  count === 2 ? `${thing} 2` : `${thing}s 2 to ${count}`;
