import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { copyDatabase } from "../../../storage/drivers/sqlite-backup.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { folderPath } from "../../options/parsers.ts";
import { withEnv, type LocalOptions } from "../../options/shared-options.ts";
import { loadSettings, unreachable } from "../../config/load-settings.ts";
import { storeFile } from "../../composition/storage.ts";
import { dataFolderOverrides } from "../../sources/open-source.ts";
import { printJson, printLine } from "../../terminal/output.ts";

interface BackupCommandOptions extends LocalOptions {
  readonly json?: boolean;
}

/** `rehearsal store backup` */
export function declare(command: Command): void {
  withEnv(
    command
      .argument("<file>", "file to write; an existing one is not overwritten")
      .option("--data-dir <folder>", "folder of the runs (REHEARSAL_DATA_DIR)", folderPath),
  )
    .option("--json", "print the file's path as one JSON object")
    .action(backUp);
}

/** Services and workers can keep reading and writing during the copy. */
async function backUp(target: string, { dataDir, envFile, json }: BackupCommandOptions): Promise<void> {
  const { settings } = await loadSettings({
    envFile,
    overrides: { ...unreachable, ...dataFolderOverrides(dataDir) },
  });
  const source = storeFile(settings);
  if (source === null) throw new CliError("the runs are on PostgreSQL: back it up with pg_dump");
  const file = resolve(target);
  if (existsSync(file)) throw new CliError(`${file} already exists: a backup never overwrites a file`);
  await copyDatabase(source, file);
  if (json) printJson({ file });
  else printLine(`copied ${source} to ${file}`);
}
