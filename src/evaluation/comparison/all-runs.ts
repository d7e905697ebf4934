/** "both runs", "all 3 runs". */
export const allRuns = (count: number): string => (count === 2 ? "both runs" : `all ${count} runs`);
