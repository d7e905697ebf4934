import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { nothingLost, type Findings } from "../test/torture/check-runs.ts";
import { isRunKind, killCycles } from "../test/torture/kill-cycles.ts";
import { storedAtInFile, storedAtQuery, toStoredAt } from "../test/torture/stored-at.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";

/**
 * Kills workers, and every tenth time a whole service, for as long as you like and looks at what is left:
 *
 *     npm run torture -- --cycles 1000
 *     npm run torture -- --cycles 1000 --postgres --json figures.json
 *     npm run torture -- --cycles 30 --kinds foreign,simulated
 *
 * Exits with 1 when anything was lost, doubled, asked for again or left unfinished. Ctrl-C ends it after the present
 * cycle, with the table of what has been done.
 */
const { values } = parseArgs({
  options: {
    cycles: { type: "string", default: "100" },
    postgres: { type: "boolean", default: false },
    kinds: { type: "string" },
    json: { type: "string" },
  },
});
const cycles = Number(values.cycles);
if (!Number.isSafeInteger(cycles) || cycles < 1) {
  process.stderr.write(`--cycles is "${values.cycles}": use a whole number from 1\n`);
  process.exit(64);
}

const kinds = values.kinds?.split(",").filter(isRunKind);
if (kinds && kinds.length !== values.kinds?.split(",").length) {
  process.stderr.write(`--kinds is "${values.kinds}": use plain, acting, simulated, foreign or foreign-simulated\n`);
  process.exit(64);
}

const chosen = kinds ? { kinds } : {};
const serviceEvery = 10;
const startedAt = performance.now();
const stopping = new AbortController();
const { signal } = stopping;
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stopping.abort());
let done = 0;
const onCycle = (cycle: number): void => {
  done = cycle + 1;
  if ((cycle + 1) % 25 === 0) process.stderr.write(`${cycle + 1} of ${cycles} cycles\n`);
};
const findings = values.postgres ? await onPostgres() : await onSqlite();
const figures = toFigures(findings);
print(figures, findings);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
process.exitCode = isClean(findings) ? 0 : 1;

async function onSqlite(): Promise<Findings> {
  await using folder = await temporaryFolder();
  const address = folder.file("rehearsal.db");
  const readStoredAt = () => storedAtInFile(address);
  return await killCycles({ ...chosen, address, cycles, workers: 1, serviceEvery, signal, onCycle, readStoredAt });
}

/** Two workers, and every 20th cycle the server crashes too, unless it is one that was given. */
async function onPostgres(): Promise<Findings> {
  const postgres = await startPostgres();
  try {
    await using database = await postgres.createDatabase();
    return await killCycles({
      ...chosen,
      address: database.url,
      cycles,
      workers: 2,
      serviceEvery,
      signal,
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

function toFigures(found: Findings): Record<string, number> {
  const { recoveries } = found;
  return {
    "kill -9 cycles": done,
    "of a whole service": Math.floor(done / serviceEvery),
    turns: found.turns,
    stored: found.stored,
    "in worlds": found.acted,
    "of simulated users": found.simulated,
    "of an agent with its own tool loop": found.foreign,
    "of these, begun again": found.discarded,
    "calls of the endpoint": found.calls,
    "most calls at once": found.mostAtOnce,
    "answers lost and asked for again": recoveries.length,
    "until then, median ms": quantile(recoveries, 0.5),
    "until then, 95 % below ms": quantile(recoveries, 0.95),
    "until then, longest ms": quantile(recoveries, 1),
    "turns lost": found.missing.length,
    "turns stored twice": found.doubled.length,
    "asked for again after they were stored": found.rerun.length,
    "wrong answers": found.wrong.length,
    "wrong effects in worlds": found.wrongEffects.length,
    "changed messages of users": found.changedMessages.length,
    "conversations without an end": found.unended.length,
    "runs without an end": found.unfinished.length,
    "calls over the limit": found.overLimit,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function print(rows: Record<string, number>, found: Findings): void {
  for (const [name, value] of Object.entries(rows)) {
    process.stdout.write(`${name.padEnd(40)} ${String(value).padStart(8)}\n`);
  }
  const details = Object.keys(nothingLost).flatMap((key) => {
    const value = found[key as keyof typeof nothingLost];
    return typeof value === "number" ? [] : value.map((detail) => `${key}: ${detail}`);
  });
  for (const detail of details.slice(0, 20)) process.stdout.write(`  ${detail}\n`);
}
