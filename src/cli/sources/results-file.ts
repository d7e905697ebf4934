/** Whether a file is meant that was written with `-o results.json`, and not a run. */
export const isResultsFile = (text: string): boolean => /[\\/]|\.json$/i.test(text);
