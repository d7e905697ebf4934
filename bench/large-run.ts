import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { launchChromium } from "../test/page/support/chromium.ts";
import type { Bench, BenchContext, Figures, Goal, Row } from "./bench.ts";
import { runToEnd } from "./harness/child-process.ts";
import { goalOn, interleave, medianOf } from "./harness/interleave.ts";
import { startRehearsal } from "./harness/rehearsal.ts";
import { evalCommand, longestRunMs, runEvalCommand } from "./load/evaluate-by-command.ts";
import { getJson, type RunView } from "./load/post-evaluation.ts";

interface Size {
  readonly scenarios: number;
  readonly attempts: number;
}

/** Runs of one turn. The largest is killed, resumed, opened and compared as well. */
const sizes: Readonly<Record<BenchContext["size"], readonly Size[]>> = {
  quick: [{ scenarios: 50, attempts: 8 }],
  normal: [
    { scenarios: 1_000, attempts: 1 },
    { scenarios: 1_000, attempts: 10 },
    { scenarios: 1_000, attempts: 100 },
  ],
  full: [
    { scenarios: 1_000, attempts: 1 },
    { scenarios: 1_000, attempts: 10 },
    { scenarios: 1_000, attempts: 100 },
    { scenarios: 10_000, attempts: 100 },
  ],
};

const atOnce = 64;
const command = `rehearsal eval -j ${atOnce}`;
const resumed = "killed at 90 %, restart to the next call";
const opened = "the page opens the run";
const compared = "GET /compare with another such run";
const workName = (count: number): string => `${count.toLocaleString("en")} interactions`;
const countOf = ({ scenarios, attempts }: Size): number => scenarios * attempts;

/** Runs of up to a million interactions by the command, and what is done with the largest. */
export const largeRun: Bench = {
  name: "large-run",
  title: "One run of many interactions, zero-latency model",
  async run(context) {
    const rows: Row[] = [];
    const all = sizes[context.size];
    const largest = all.at(-1)!;
    for (const size of all) {
      const work = workName(countOf(size));
      let dataFolder = "";
      const run = async (): Promise<Figures> => {
        if (dataFolder) await rm(dataFolder, { recursive: true });
        const measured = await measureCommand(size, context);
        dataFolder = measured.dataFolder;
        return measured.figures;
      };
      const repeats = countOf(size) > 10_000 ? 1 : context.repeats;
      rows.push(...(await interleave(work, [{ name: command, run }], { ...context, repeats })));
      if (size === largest && dataFolder) rows.push(...(await measureStored(size, dataFolder, context)));
      await rm(dataFolder, { recursive: true });
    }
    const curve = (metric: "cpu_ms" | "peak_mb") => [
      {
        name: command,
        points: all.flatMap((size): [number, number][] => {
          const value = medianOf(rows, { work: workName(countOf(size)), subject: command, metric });
          return value === null ? [] : [[countOf(size), value]];
        }),
      },
    ];
    const common = { x: "interactions", logarithmicX: true };
    return {
      rows,
      goals: goalsOf(rows),
      curves: [
        {
          ...common,
          name: "cost-by-size",
          title: "CPU per interaction by size of the run",
          y: "CPU ms each",
          series: curve("cpu_ms"),
        },
        {
          ...common,
          name: "memory-by-size",
          title: "Peak memory by size of the run",
          y: "MB",
          series: curve("peak_mb"),
        },
      ],
    };
  },
};

function goalsOf(rows: readonly Row[]): Goal[] {
  const work = workName(1_000_000);
  const goal = (subject: string, metric: "per_second" | "peak_mb" | "wall_s", what: string) =>
    [rows, { work, subject, metric, what: `${work}: ${what}` }] as const;
  return [
    goalOn(...goal(command, "per_second", "made and stored per second"), { atLeast: 5_000 }),
    goalOn(...goal(command, "peak_mb", "peak MB"), { atMost: 210 }),
    goalOn(...goal(resumed, "wall_s", "killed at 900,000, seconds from the restart to the next call"), { atMost: 2 }),
    goalOn(...goal(opened, "wall_s", "seconds until the page has opened the run"), { atMost: 1 }),
    goalOn(...goal(compared, "wall_s", "seconds to compare two such runs"), { atMost: 8 }),
    goalOn(...goal(compared, "peak_mb", "peak MB while two such runs are compared"), { atMost: 300 }),
  ];
}

/** From the start of the process to its end, which reports the results. */
async function measureCommand(
  size: Size,
  { scratch, model }: BenchContext,
): Promise<{ figures: Figures; dataFolder: string }> {
  const setting = { endpoint: model.at("latency-0"), concurrency: atOnce };
  const { dataFolder, ...ended } = await runEvalCommand({ ...size, turns: 1 }, setting, scratch);
  const count = countOf(size);
  const figures = {
    wall_s: ended.wallSeconds,
    per_second: count / ended.wallSeconds,
    cpu_ms: (ended.cpuSeconds * 1000) / count,
    peak_mb: ended.peakMegabytes,
    store_mb: await folderMegabytes(dataFolder),
  };
  return { figures, dataFolder };
}

async function folderMegabytes(folder: string): Promise<number> {
  const files = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
  return files.reduce((sum, { size }) => sum + size, 0) / 1024 ** 2;
}

/** A second run beside the stored one, killed and resumed; then both are read. */
async function measureStored(size: Size, dataFolder: string, context: BenchContext): Promise<Row[]> {
  const work = workName(countOf(size));
  const kill = { name: resumed, run: () => killAndResume(size, dataFolder, context) };
  return [
    ...(await interleave(work, [kill], { ...context, repeats: 1 })),
    ...(await interleave(
      work,
      [
        { name: opened, run: () => openPage(dataFolder, context) },
        { name: compared, run: () => compareRuns(dataFolder, context) },
      ],
      context,
    )),
  ];
}

/** The resumed command runs to its end: its memory counts, too. */
async function killAndResume(size: Size, dataFolder: string, { scratch, model, ...context }: BenchContext) {
  // A run of the quick size would be over before it is killed.
  const endpoint = model.at("words-14", context.size === "quick" ? "latency-100" : "latency-0");
  const calls = async (): Promise<number> => (await model.counts()).get(endpoint)?.calls ?? 0;
  const untilCalls = async (least: number, ended: { readonly is: boolean }): Promise<number> => {
    for (;;) {
      const made = await calls();
      if (made >= least) return made;
      if (ended.is) throw new Error(`the command ended after ${made} calls`);
      await sleep(2);
    }
  };
  const setting = { endpoint, concurrency: atOnce, dataFolder };
  const first = await evalCommand({ ...size, turns: 1 }, setting, scratch);
  // The endpoint has calls of an earlier measurement when a busy machine is measured once more.
  const earlier = await calls();
  await runToEnd(first, {
    limitMs: longestRunMs,
    async whileRunning(pid, ended) {
      await untilCalls(earlier + countOf(size) * 0.9, ended);
      process.kill(pid, "SIGKILL");
    },
  });
  const before = await calls();
  const began = performance.now();
  let nextCall = Number.NaN;
  const again = [...first.arguments.slice(0, 2), "--resume", "latest", "-j", String(atOnce), "--reporter", "line"];
  const { exitCode, errors, peakMegabytes } = await runToEnd(
    { ...first, arguments: again },
    {
      limitMs: longestRunMs,
      async whileRunning(_, ended) {
        await untilCalls(before + 1, ended);
        nextCall = (performance.now() - began) / 1000;
      },
    },
  );
  // 1 says that replies were not good enough, which those of a fake are not.
  if (exitCode !== 0 && exitCode !== 1) throw new Error(`the resumed command ended with ${exitCode}: ${errors}`);
  return { wall_s: nextCall, peak_mb: peakMegabytes };
}

/** In a browser that has nothing of the page yet, until the run's scenarios are there to be read. */
async function openPage(dataFolder: string, { scratch }: BenchContext): Promise<Figures> {
  const service = await startRehearsal({ scratch, dataFolder });
  const browser = await launchChromium();
  try {
    const [run] = await newestRuns(service.evaluation);
    const page = await browser.newPage();
    const began = performance.now();
    await page.goto(`${service.agent}/runs/${run!.run_id}`);
    await page.getByText("scenario-", { exact: false }).first().waitFor();
    return { wall_s: (performance.now() - began) / 1000, peak_mb: service.peakMegabytes() };
  } finally {
    await browser.close();
    await service.stop();
  }
}

/** A fresh service, so that its peak of memory is the comparison's own. */
async function compareRuns(dataFolder: string, { scratch }: BenchContext): Promise<Figures> {
  const service = await startRehearsal({ scratch, dataFolder });
  try {
    const [candidate, baseline] = await newestRuns(service.evaluation);
    const began = performance.now();
    await getJson(`${service.evaluation}/compare?baseline=${baseline!.run_id}&candidate=${candidate!.run_id}`);
    return { wall_s: (performance.now() - began) / 1000, peak_mb: service.peakMegabytes() };
  } finally {
    await service.stop();
  }
}

/** Both runs; a run that did not end whole is an error. */
async function newestRuns(evaluation: string): Promise<readonly RunView[]> {
  const { runs } = await getJson<{ runs: readonly RunView[] }>(`${evaluation}/runs?limit=2`);
  if (runs.length === 2 && runs.every(({ state }) => state === "completed")) return runs;
  throw new Error(`the stored runs are ${runs.map(({ state }) => state).join(" and ")}`);
}
