import { counted } from "../../../base/text.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { readKeyFile } from "../../../services/http/auth/key-file.ts";
import { keyFileIn } from "../../../settings/api-keys.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { folderPath } from "../../options/parsers.ts";
import { withEnv, type LocalOptions } from "../../options/shared-options.ts";
import { loadSettings, unreachable } from "../../config/load-settings.ts";
import { storeFile } from "../../composition/storage.ts";
import { dataFolderOverrides } from "../../sources/open-source.ts";
import { note, printJson, printLine } from "../../terminal/output.ts";

interface MigrateOptions extends LocalOptions {
  readonly json?: boolean;
}

/** `rehearsal store migrate` */
export function declare(command: Command): void {
  withEnv(
    command
      .argument("<database>", "postgres://… to copy to, or $NAME of the variable that holds it")
      .option("--data-dir <folder>", "folder of the runs to copy (REHEARSAL_DATA_DIR)", folderPath),
  )
    .option("--json", "print the copied counts as one JSON object")
    .action(migrateStore);
}

/** Copies every run, scenario and API key from the embedded store to PostgreSQL. Existing rows there stay unchanged. */
async function migrateStore(target: string, { dataDir, envFile, json }: MigrateOptions): Promise<void> {
  const { settings } = await loadSettings({
    envFile,
    overrides: { ...unreachable, ...dataFolderOverrides(dataDir) },
  });
  const url = target.startsWith("$") ? optionValue(target.slice(1)) : target;
  if (!/^postgres(ql)?:/.test(url))
    throw new CliError("the target is not a PostgreSQL address: use postgres://user:password@host/database");
  // DATABASE_URL may already name the target. If it names a file, that file is copied.
  const file = storeFile(settings) ?? join(settings.dataDir, "rehearsal.db");
  if (!existsSync(file))
    throw new CliError(`nothing to copy: ${file} does not exist (--data-dir names another folder)`);
  const { moveToPostgres } = await import("../../../storage/move-to-postgres.ts");
  const copied = await moveToPostgres({
    file,
    url,
    leaseMs: settings.runs.leaseMs,
    keys: await readKeyFile(keyFileIn(settings.dataDir)),
    onRun: ({ copied: done, total }) => {
      if (done === total || done % 100 === 0) note(`${done}/${total} runs`);
    },
  });
  if (json) return printJson(copied);
  const { runs, skipped, behind, scenarios, agent_runs, threads, apart } = copied;
  printLine(`copied from ${file}: ${counted(runs, "run")} and ${counted(scenarios, "scenario")}`);
  if (skipped > 0) printLine(`already there: ${counted(skipped, "run")}`);
  if (behind.length > 0)
    printLine(`not copied: changes since an earlier copy in ${counted(behind.length, "run")} (${behind.join(", ")})`);
  if (agent_runs + threads > 0)
    printLine(`copied ${counted(agent_runs, "agent run")} and ${counted(threads, "thread")}`);
  if (apart > 0)
    printLine(
      `not copied: ${counted(apart, "agent run or thread", "agent runs and threads")} that changed in both places`,
    );
  printLine("Set DATABASE_URL to the new address. The file is unchanged.");
}

function optionValue(name: string): string {
  const value = process.env[name];
  if (value) return value;
  throw new CliError(`the environment variable ${name} is not set: it has to hold the target's address`);
}
