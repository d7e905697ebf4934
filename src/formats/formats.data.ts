import { scenarioFormats } from "./formats.ts";

/** The formats that scenarios can be imported from. Plain data, so that the page can have it. */
export const importFormats = scenarioFormats.map(({ id, label, takesMapping = false }) => ({
  id,
  label,
  takesMapping,
}));

/** The formats that scenarios can be exported to, each with the extension of its file. */
export const exportFormats = scenarioFormats
  .filter(({ write }) => write !== undefined)
  .map(({ id, label, extensions }) => ({ id, title: label, extension: extensions[0] ?? id }));
