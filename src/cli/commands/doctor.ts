import type { Command } from "commander";
import { attempt, notice, type Check } from "../doctor/check.ts";
import { checkConfiguration } from "../doctor/check-configuration.ts";
import { checkMachine, checkProxy } from "../doctor/check-machine.ts";
import { checkCredentials, checkModels } from "../doctor/check-models.ts";
import { checkOperatorParts } from "../doctor/check-operator-parts.ts";
import { exitCodes } from "../exit-codes.ts";
import { folderPath, withEnv } from "../options.ts";
import { createClients } from "../parts/create-clients.ts";
import { loadSettings } from "../parts/load-settings.ts";
import { readHubProviders } from "../parts/read-hub-providers.ts";
import { outputWidth, printJson, printLine } from "../terminal/output.ts";
import { styleFor } from "../terminal/style.ts";
import { table } from "../terminal/table.ts";

interface DoctorOptions {
  readonly dataDir?: string;
  readonly envFile?: readonly string[];
  readonly json?: boolean;
}

/** `rehearsal doctor` */
export function declare(command: Command): void {
  withEnv(command.option("--data-dir <folder>", "where runs are kept (REHEARSAL_DATA_DIR)", folderPath))
    .option("--json", "print what was found as one JSON object")
    .action(doctor);
}

async function doctor({ dataDir, envFile = [], json }: DoctorOptions): Promise<void> {
  const { settings, warnings } = loadSettings({ files: envFile, overrides: { REHEARSAL_DATA_DIR: dataDir } });
  const hubProviders = readHubProviders(settings.hubProviders);
  await using clients = createClients(settings, { isOwnAddress: () => false, hubProviders });
  const checks = [
    ...warnings.map((warning) => notice("setting", warning)),
    ...(await checkMachine(settings)),
    ...(await attempt("configuration", checkConfiguration)),
    ...checkCredentials(settings, hubProviders),
    ...checkProxy(process.env),
    ...(await checkOperatorParts(settings, { outbound: clients.tools })),
    ...(await checkModels(settings, { hubProviders, outbound: clients.agent })),
  ];
  const healthy = checks.every(({ state }) => state !== "problem");
  if (json) printJson({ healthy, checks });
  else print(checks);
  if (!healthy) process.exitCode = exitCodes.configuration;
}

function print(checks: readonly Check[]): void {
  const style = styleFor(process.stdout);
  const marks = { ok: style("green", "✓"), notice: style("yellow", "!"), problem: style("red", "✗") };
  const rows = checks.map(({ name, state, detail }) => [marks[state], name, detail]);
  printLine(table([{ title: "" }, { title: "" }, { title: "" }], rows, outputWidth()));
}
