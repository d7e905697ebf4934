import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentTurns } from "./agent-turns.ts";
import type { Bench, BenchContext, BenchResult } from "./bench.ts";
import { compare } from "./compare.ts";
import { evalThroughput } from "./eval-throughput.ts";
import { startFakeModel } from "./fake-model/start-fake-model.ts";
import { growth } from "./growth.ts";
import { createNoiseMeter } from "./harness/noise.ts";
import { largeRun } from "./large-run.ts";
import { memory } from "./memory.ts";
import { multiTurn } from "./multi-turn.ts";
import { readOptions, usage, type Options } from "./options.ts";
import { installPeers } from "./peers/install-peers.ts";
import { postgres } from "./postgres.ts";
import { recovery } from "./recovery.ts";
import { createReport, type MeasuredBench } from "./report/report.ts";
import { goalsToCells, rowsToCells, toText } from "./report/table.ts";
import { writeDocs } from "./report/write-docs.ts";
import { scoring } from "./scoring.ts";
import { startUp } from "./start-up.ts";
import { stream } from "./stream.ts";

const benches = [
  evalThroughput,
  multiTurn,
  startUp,
  memory,
  agentTurns,
  stream,
  scoring,
  postgres,
  recovery,
  compare,
  largeRun,
  growth,
];

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function choose({ only }: Options): readonly Bench[] {
  const unknown = only.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `There is no bench ${unknown.join(", ")}. There are: ${benches.map(({ name }) => name).join(", ")}`,
    );
  }
  return only.length === 0 ? benches : benches.filter(({ name }) => only.includes(name));
}

type Measured = MeasuredBench & Pick<BenchResult, "goals">;

/** A bench that breaks is told in one line; the others go on. */
async function runBench({ name, title, run }: Bench, context: BenchContext): Promise<Measured> {
  say(`\n${name}: ${title}`);
  const began = performance.now();
  const none: BenchResult = { rows: [], goals: [] };
  const {
    rows,
    goals,
    curves = [],
  } = await run(context).catch((error: unknown) => {
    say(`  skipped: ${error instanceof Error ? error.message.split("\n", 1)[0] : String(error)}`);
    return none;
  });
  if (rows.length > 0) say(toText(rowsToCells(rows)));
  return { name, title, seconds: (performance.now() - began) / 1000, rows, goals, curves };
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return say(usage);
  if (process.platform !== "linux") throw new Error("The benches read /proc, so they run on Linux only.");
  const chosen = choose(options);
  const { size, repeats } = options;
  const scratch = await mkdtemp(join(tmpdir(), "rehearsal-bench-"));
  const peers = options.peers ? await installPeers({ scratch, say }) : null;
  const model = await startFakeModel();
  const noise = createNoiseMeter();
  // The first time a piece of code runs is no measure of the machine.
  createNoiseMeter().spin();
  const measured: Measured[] = [];
  try {
    for (const bench of chosen) {
      measured.push(await runBench(bench, { size, repeats, model, noise, scratch, peers, say }));
    }
  } finally {
    await model.process.stop();
    await rm(scratch, { recursive: true, force: true });
  }
  const report = createReport(measured, { noise: noise.report(), size });
  say(`\n${toText(goalsToCells(report.goals))}`);
  say(`\n${report.noise}`);
  if (size === "quick") say("These were the sizes of --quick: the figures mean nothing.");
  const file = options.json ?? join(await mkdtemp(join(tmpdir(), "rehearsal-figures-")), "bench.json");
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  say(`Figures: ${file}`);
  if (options.writeDocs) await writeDocs(report);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
try {
  await main();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
