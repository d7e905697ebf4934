/** Nothing can be done to a run from a file. */
export const RunActions = () => null;
