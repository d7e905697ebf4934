/** Nothing can be run from a file. */
export const RunShownAgain = () => null;
