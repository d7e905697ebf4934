import { parseArgs } from "node:util";
import { nothingLost, type Findings } from "../test/torture/check-runs.ts";
import { killCycles } from "../test/torture/kill-cycles.ts";
import { storedAtInFile, storedAtQuery, toStoredAt } from "../test/torture/stored-at.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";

/**
 * Kills workers for as long as you like and looks at what is left:
 *
 *     npm run torture -- --cycles 1000
 *     npm run torture -- --cycles 200 --postgres
 *
 * Exits with 1 when anything was lost, doubled, asked for again or left unfinished.
 */
const { values } = parseArgs({
  options: { cycles: { type: "string", default: "100" }, postgres: { type: "boolean", default: false } },
});
const cycles = Number(values.cycles);
if (!Number.isSafeInteger(cycles) || cycles < 1) {
  process.stderr.write(`--cycles is "${values.cycles}": use a whole number from 1\n`);
  process.exit(64);
}

const startedAt = performance.now();
const onCycle = (cycle: number): void => {
  if ((cycle + 1) % 25 === 0) process.stderr.write(`${cycle + 1} of ${cycles} cycles\n`);
};
const findings = values.postgres ? await onPostgres() : await onSqlite();
print(findings);
process.exitCode = isClean(findings) ? 0 : 1;

async function onSqlite(): Promise<Findings> {
  await using folder = await temporaryFolder();
  const address = folder.file("rehearsal.db");
  return await killCycles({ address, cycles, workers: 1, onCycle, readStoredAt: () => storedAtInFile(address) });
}

/** Two workers, and every 20th cycle the server crashes too, unless it is one that was given. */
async function onPostgres(): Promise<Findings> {
  const postgres = await startPostgres();
  try {
    await using database = await postgres.createDatabase();
    return await killCycles({
      address: database.url,
      cycles,
      workers: 2,
      onCycle,
      readStoredAt: async () => toStoredAt(await database.query(storedAtQuery)),
      async between(cycle) {
        if (cycle % 20 === 19) await postgres.restart?.();
      },
    });
  } finally {
    await postgres.stop();
  }
}

function isClean(found: Findings): boolean {
  return Object.keys(nothingLost).every((key) => count(found[key as keyof typeof nothingLost]) === 0);
}

function count(value: number | readonly string[]): number {
  return typeof value === "number" ? value : value.length;
}

function print(found: Findings): void {
  const rows: readonly (readonly [string, number])[] = [
    ["kill -9 cycles", cycles],
    ["turns", found.turns],
    ["stored", found.stored],
    ["calls of the endpoint", found.calls],
    ["most calls at once", found.mostAtOnce],
    ["turns lost", found.missing.length],
    ["turns stored twice", found.doubled.length],
    ["asked for again after they were stored", found.rerun.length],
    ["wrong answers", found.wrong.length],
    ["runs without an end", found.unfinished.length],
    ["calls over the limit", found.overLimit],
    ["seconds", Math.round((performance.now() - startedAt) / 1_000)],
  ];
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(40)} ${String(value).padStart(8)}\n`);
  const details = [...found.missing, ...found.doubled, ...found.rerun, ...found.wrong, ...found.unfinished];
  for (const detail of details.slice(0, 20)) process.stdout.write(`  ${detail}\n`);
}
