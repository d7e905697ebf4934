import { scalarText } from "../../records.ts";

/** A value as a template puts it into a text. */
export const templateText = (value: unknown): string =>
  scalarText(value) ?? (value === undefined || value === null ? "" : JSON.stringify(value));
