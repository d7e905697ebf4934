import type { Config } from "../config/config.ts";
import { outputFiles } from "../reporters/output-files.ts";

interface OwnFiles {
  readonly file?: string | undefined;
  readonly config: Pick<Config, "baseline" | "output" | "model">;
}

/** What an evaluation reads or writes for itself, and is no scenario even where it stands among them: configuration, baseline, results. */
export function ownFiles({ file, config: { baseline, output = [], model = [] } }: OwnFiles): string[] {
  return [file ?? [], baseline ?? [], outputFiles(output, [model].flat().length)].flat();
}
