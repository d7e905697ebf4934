import { readText } from "./http.ts";

/** What a format had no place for: how many things, and as many of them as the service names. */
export interface LeftOut {
  readonly count: number;
  readonly notes: readonly string[];
}

/** A file the service made. */
export interface ExportedFile {
  readonly text: string;
  /** Null where everything is in it. */
  readonly leftOut: LeftOut | null;
}

export async function toExportedFile(response: Response): Promise<ExportedFile> {
  const notes = response.headers.get("rehearsal-export-notes");
  return { text: await readText(response), leftOut: notes === null ? null : (JSON.parse(notes) as LeftOut) };
}
