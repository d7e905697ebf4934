/** A report is a file already. */
export const ExportFormats = () => null;
