/** Empty here: the page exports from its menu. The HTML report replaces this file with a download button. */
export const ResultsFile = () => null;
