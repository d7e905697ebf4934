/** A file has no library. */
export const EditScenarioLink = () => null;
