/** A report does not change. */
export const useLiveRun = (): void => undefined;
