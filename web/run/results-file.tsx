/** The page exports from its menu. A report has no service to ask, and has this file replaced. */
export const ResultsFile = () => null;
