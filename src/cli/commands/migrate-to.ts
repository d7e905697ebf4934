import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { readKeyFile } from "../../services/http/key-file.ts";
import { keyFileIn } from "../../settings/api-keys.ts";
import { CliError } from "../cli-error.ts";
import { folderPath, withEnv, type LocalOptions } from "../options.ts";
import { loadSettings, reachedByNobody } from "../parts/load-settings.ts";
import { storeFile } from "../parts/open-storage.ts";
import { typedFolder } from "../sources/open-source.ts";
import { counted } from "../terminal/figures.ts";
import { note, printJson, printLine } from "../terminal/output.ts";

interface MigrateOptions extends LocalOptions {
  readonly json?: boolean;
}

/** `rehearsal migrate-to` */
export function declare(command: Command): void {
  withEnv(
    command
      .argument("<database>", "postgres://… to copy to, or $NAME of the variable that holds it")
      .option("--data-dir <folder>", "where the runs are now (REHEARSAL_DATA_DIR)", folderPath),
  )
    .option("--json", "print what was copied as one JSON object")
    .action(migrate);
}

/** Copies every run, scenario and API key from the embedded store to PostgreSQL. What is there already is left alone. */
async function migrate(target: string, { dataDir, envFile = [], json }: MigrateOptions): Promise<void> {
  const { settings } = loadSettings({ files: envFile, overrides: { ...reachedByNobody, ...typedFolder(dataDir) } });
  const url = target.startsWith("$") ? valueOf(target.slice(1)) : target;
  if (!/^postgres(ql)?:/.test(url)) throw new CliError("where to? Give postgres://user:password@host/database");
  // DATABASE_URL may name the target already; where it names a file, that is what is copied.
  const file = storeFile(settings) ?? join(settings.dataDir, "rehearsal.db");
  if (!existsSync(file)) throw new CliError(`there is nothing to copy: ${file} does not exist (--data-dir says where)`);
  const { moveToPostgres } = await import("../../storage/move-to-postgres.ts");
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
  if (skipped > 0) printLine(`there already: ${counted(skipped, "run")}`);
  if (behind.length > 0)
    printLine(
      `not copied: what ${counted(behind.length, "run")} gained here since an earlier copy (${behind.join(", ")})`,
    );
  if (agent_runs + threads > 0)
    printLine(`copied ${counted(agent_runs, "agent run")} and ${counted(threads, "thread")}`);
  if (apart > 0)
    printLine(
      `not copied: ${counted(apart, "agent run or thread", "agent runs and threads")} that went on at both places`,
    );
  printLine("Set DATABASE_URL to it; the file stays as it was.");
}

function valueOf(name: string): string {
  const value = process.env[name];
  if (value) return value;
  throw new CliError(`where to? The environment variable ${name} is not set`);
}
