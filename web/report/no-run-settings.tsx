/** A file holds what came of a run, not all it was asked to do. */
export const RunSettings = () => null;
