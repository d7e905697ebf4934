import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentTurns } from "./agent-turns.ts";
import type { Bench, BenchContext, BenchResult } from "./bench.ts";
import { evalThroughput } from "./eval-throughput.ts";
import { startFakeModel } from "./fake-model/start-fake-model.ts";
import { createNoiseMeter } from "./harness/noise.ts";
import { largeRun } from "./large-run.ts";
import { multiTurn } from "./multi-turn.ts";
import { readOptions, usage, type Options } from "./options.ts";
import { installPeers } from "./peers/install-peers.ts";
import { postgres } from "./postgres.ts";
import { recovery } from "./recovery.ts";
import { createReport, goalsOf, sentenceOn, trustIn, type MeasuredBench } from "./report/report.ts";
import { goalsToCells, rowsToCells, toText } from "./report/table.ts";
import { writeDocs } from "./report/write-docs.ts";
import { scoring } from "./scoring.ts";
import { simulatedUsers } from "./simulated-users.ts";
import { startUp } from "./start-up.ts";
import { stream } from "./stream.ts";

const benches = [
  evalThroughput,
  multiTurn,
  simulatedUsers,
  agentTurns,
  startUp,
  largeRun,
  stream,
  scoring,
  postgres,
  recovery,
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

/** A failed bench is reported in one line and fails the command; the others continue. */
async function runBench({ name, title, run }: Bench, context: Omit<BenchContext, "noise">): Promise<MeasuredBench> {
  say(`\n${name}: ${title}`);
  const began = performance.now();
  const noise = createNoiseMeter();
  const none: BenchResult = { rows: [], goals: [] };
  const {
    rows,
    goals,
    curves = [],
  } = await run({ ...context, noise }).catch((error: unknown) => {
    say(`  failed: ${error instanceof Error ? error.message.split("\n", 1)[0] : String(error)}`);
    process.exitCode = 1;
    return none;
  });
  const date = new Date().toISOString().slice(0, 10);
  const seconds = (performance.now() - began) / 1000;
  const measured = { name, title, date, seconds, noise: noise.report(), rows, goals, curves };
  if (rows.length > 0) say(`${toText(rowsToCells(rows))}\n${sentenceOn(measured)}`);
  return measured;
}

/** Measures one bench after the other. What was measured on a busy machine is measured once more at the end, and the steadier time counts. */
async function runAll(
  chosen: readonly Bench[],
  context: Omit<BenchContext, "noise">,
): Promise<ReadonlyMap<string, MeasuredBench>> {
  const measured = new Map<string, MeasuredBench>();
  for (const bench of chosen) measured.set(bench.name, await runBench(bench, context));
  if (context.size === "quick") return measured;
  for (const bench of chosen) {
    const before = measured.get(bench.name)!;
    if (trustIn(before) !== "busy") continue;
    say(`\n${bench.name} was measured on a busy machine: once more.`);
    const again = await runBench(bench, context);
    if ((again.noise.stolen ?? 0) <= (before.noise.stolen ?? 0)) measured.set(bench.name, again);
  }
  return measured;
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
  // The first time a piece of code runs is no measure of the machine.
  createNoiseMeter().spin();
  let measured: ReadonlyMap<string, MeasuredBench>;
  try {
    measured = await runAll(chosen, { size, repeats, model, scratch, peers, say });
  } finally {
    await model.process.stop();
    await rm(scratch, { recursive: true, force: true });
  }
  const report = createReport([...measured.values()], size);
  say(`\n${toText(goalsToCells(goalsOf(report)))}`);
  if (size === "quick") say("These were the sizes of --quick: the figures mean nothing.");
  const file = options.json ?? join(await mkdtemp(join(tmpdir(), "rehearsal-figures-")), "bench.json");
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  say(`Figures: ${file}`);
  if (!options.writeDocs) return;
  if (process.exitCode === 1) throw new Error("a bench failed, so no documentation was written");
  await writeDocs(report);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
try {
  await main();
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
