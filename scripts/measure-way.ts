// Counts the files and functions of src/ that a request enters, and the modules that `rehearsal eval` loads. With `--list`, also their names.
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { Session, type Profiler } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { startServices } from "../src/cli/commands/operate/serve.ts";
import { readSettings } from "../src/settings.ts";
import { startFakeProvider } from "../test/support/fake-provider.ts";

const root = resolve(import.meta.dirname, "..");
const sources = `${pathToFileURL(root).href}/src/`;
const lists = process.argv.includes("--list");

/** The functions that ran, by file. */
type Way = ReadonlyMap<string, readonly string[]>;

/** The functions of src/ that `work` enters, without modules' own code: that is a function at offset 0. */
async function enteredDuring(work: () => Promise<unknown>): Promise<Map<string, string>> {
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  const entered = new Map<string, string>();
  for (const { url, functions } of result) {
    if (!url.startsWith(sources)) continue;
    for (const { functionName, ranges } of functions) {
      const [body] = ranges;
      if (!body || body.startOffset === 0 || body.count === 0) continue;
      entered.set(`${url.slice(sources.length)}:${body.startOffset}`, functionName || "(anonymous)");
    }
  }
  return entered;
}

function byFile(entered: ReadonlyMap<string, string>): Way {
  const way = new Map<string, string[]>();
  for (const [place, name] of entered) {
    const file = place.slice(0, place.lastIndexOf(":"));
    way.set(file, [...(way.get(file) ?? []), name]);
  }
  return way;
}

function print(title: string, way: Way, goals: { readonly files: number; readonly functions?: number }): void {
  const functions = [...way.values()].reduce((sum, names) => sum + names.length, 0);
  const goal = `goal ${goals.files} files${goals.functions === undefined ? "" : `, ${goals.functions} functions`}`;
  process.stdout.write(`${title.padEnd(24)} ${way.size} files, ${functions} functions (${goal})\n`);
  if (lists) for (const [file, names] of [...way].toSorted()) process.stdout.write(`  ${file}: ${names.join(" ")}\n`);
}

/** The modules of src/ that the command's busiest process loads. */
async function modulesOf(folder: string, words: readonly string[]): Promise<readonly string[]> {
  const coverage = await mkdtemp(join(folder, "coverage-"));
  const child = spawn(process.execPath, [join(root, "src/cli/main.ts"), ...words], {
    cwd: folder,
    env: { PATH: process.env["PATH"], NODE_V8_COVERAGE: coverage },
    stdio: "ignore",
  });
  const code = await new Promise<number | null>((done) => child.on("close", done));
  if (code !== 0) throw new Error(`rehearsal ${words.join(" ")} ended with ${code}`);
  const reports = await Promise.all(
    (await readdir(coverage)).map(async (file) => {
      const { result } = JSON.parse(await readFile(join(coverage, file), "utf8")) as {
        result: Profiler.ScriptCoverage[];
      };
      return result.map(({ url }) => url).filter((url) => url.startsWith(sources));
    }),
  );
  const [largest = []] = reports.toSorted((left, right) => right.length - left.length);
  return largest.map((url) => url.slice(sources.length));
}

const folder = await mkdtemp(join(tmpdir(), "measure-way-"));
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await using provider = await startFakeProvider();
const { settings } = readSettings({
  PATH: process.env["PATH"] ?? "",
  REHEARSAL_DEMO: "off",
  REHEARSAL_AGENT_PORT: "0",
  REHEARSAL_EVAL_PORT: "0",
  REHEARSAL_WATCHDOG_MS: "0",
  REHEARSAL_DATA_DIR: join(folder, "data"),
  HUB_BASE_URL: provider.url,
  LOG_LEVEL: "silent",
});
const services = await startServices(settings, []);

const post = (body: unknown, headers = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});
const scenario = {
  id: "one",
  interactions: [{ id: "1", user_message: "What is six times seven?", reference_reply: "42" }],
};

/**
 * The shortest way of three, after two requests that compile, connect and fill caches. Left out is what the timers of the services
 * enter while nothing is asked.
 */
async function measure(url: string, init?: RequestInit): Promise<Way> {
  for (let before = 0; before < 2; before++) await ask(url, init);
  const ways: Map<string, string>[] = [];
  for (let time = 0; time < 3; time++) {
    await wait(300);
    ways.push(await enteredDuring(() => ask(url, init)));
  }
  const idle = await enteredDuring(() => wait(2_000));
  const [shortest = new Map<string, string>()] = ways.toSorted((left, right) => left.size - right.size);
  for (const place of idle.keys()) shortest.delete(place);
  return byFile(shortest);
}

async function ask(url: string, init?: RequestInit): Promise<void> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
}

try {
  print("GET /healthz", await measure(`${services.evaluation.url}/healthz`), { files: 8 });
  const request = { test_batch: scenario, endpoint: provider.url, model_id: "bench/fake" };
  print("POST /evaluate", await measure(`${services.evaluation.url}/evaluate`, post(request)), {
    files: 120,
    functions: 600,
  });
  const turn = post({ messages: [{ type: "human", content: "Hello" }] }, { "x-model-id": "bench/fake" });
  print("POST /", await measure(`${services.agent.url}/`, turn), { files: 70 });

  const file = join(folder, "one.json");
  const [interaction] = scenario.interactions;
  const checked = { ...scenario, interactions: [{ ...interaction, checks: [{ type: "contains", text: "seven" }] }] };
  await writeFile(file, JSON.stringify([checked]));
  const words = ["eval", file, "--endpoint", provider.url, "--model", "bench/fake", "--data-dir", join(folder, "cli")];
  await modulesOf(folder, words);
  const modules = await modulesOf(folder, words);
  process.stdout.write(`${"rehearsal eval".padEnd(24)} ${modules.length} modules (goal 350)\n`);
  if (lists) for (const module of modules.toSorted()) process.stdout.write(`  ${module}\n`);
} finally {
  await services.stop();
  await rm(folder, { recursive: true, force: true });
}
