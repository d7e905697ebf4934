import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { killAgents, noTurnLost, openRunsIn, openRunsInFile, type AgentFindings } from "../test/torture/agent-kills.ts";
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
 *     npm run torture -- --cycles 300 --agents
 *
 * `--agents` kills agent backends in the middle of their turns instead. Exits with 1 when anything was lost, doubled, asked for again or left unfinished. Ctrl-C ends it after the present
 * cycle, with the table of what has been done.
 */
const { values } = parseArgs({
  options: {
    cycles: { type: "string", default: "100" },
    postgres: { type: "boolean", default: false },
    agents: { type: "boolean", default: false },
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
const { figures, faults } = values.agents ? await tortureAgents() : await tortureRuns();
print(figures, faults);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

interface Report {
  readonly figures: Record<string, number>;
  readonly faults: readonly string[];
}

async function tortureRuns(): Promise<Report> {
  const found = values.postgres ? await onPostgres() : await onSqlite();
  return { figures: toFigures(found), faults: faultsOf(found, nothingLost) };
}

async function tortureAgents(): Promise<Report> {
  const found = values.postgres ? await agentsOnPostgres() : await agentsOnSqlite();
  const figures = {
    "kill -9 cycles": done,
    "turns of the agent": found.turns,
    "with Prefer: respond-async": found.async,
    "sent twice at once": found.twice,
    "calls of the model": found.modelCalls,
    "effects of tools": found.effects,
    "calls reported as uncertain": found.uncertain,
    "turns lost": found.lost.length,
    "effects doubled": found.doubledEffects.length,
    "effects missing without notice": found.missingEffects.length,
    "threads with other turns": found.wrongThreads.length,
    "wrong answers": found.wrongAnswers.length,
    "wrong tool results": found.wrongResults.length,
    "runs without an end": found.open,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  };
  return { figures, faults: faultsOf(found, noTurnLost) };
}

async function agentsOnSqlite(): Promise<AgentFindings> {
  await using folder = await temporaryFolder();
  const file = folder.file("rehearsal.db");
  const countOpenRuns = () => openRunsInFile(file);
  return await killAgents({ database: `sqlite:${file}`, cycles, backends: 1, countOpenRuns, signal, onCycle });
}

/** Every 20th cycle the server crashes too, unless it is one that was given. */
async function agentsOnPostgres(): Promise<AgentFindings> {
  const postgres = await startPostgres();
  try {
    await using database = await postgres.createDatabase();
    return await killAgents({
      database: database.url,
      cycles,
      backends: 2,
      countOpenRuns: () => openRunsIn(database),
      signal,
      onCycle,
      async between(cycle) {
        if (cycle % 20 === 19) await postgres.restart?.();
      },
    });
  } finally {
    await postgres.stop();
  }
}

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

/** The fields that must be empty, or 0, and are not. */
function faultsOf<Found extends object>(found: Found, expected: Partial<Found>): string[] {
  return Object.keys(expected).flatMap((name) => {
    const value: unknown = found[name as keyof Found];
    if (Array.isArray(value)) return value.map((detail) => `${name}: ${detail}`);
    return value === 0 ? [] : [`${name}: ${String(value)}`];
  });
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

function print(rows: Record<string, number>, faults: readonly string[]): void {
  for (const [name, value] of Object.entries(rows)) {
    process.stdout.write(`${name.padEnd(40)} ${String(value).padStart(8)}\n`);
  }
  for (const fault of faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`);
}
