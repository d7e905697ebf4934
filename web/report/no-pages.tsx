/** A report holds the whole run. */
export const PagedGrid = () => null;
