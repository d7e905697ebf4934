import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startFakeProvider } from "../test/support/fake-provider.ts";
import { after } from "../test/support/fake-provider/behaviour.ts";
import { echo } from "../test/support/fake-provider/replies.ts";
import { startServe } from "../test/hardening/support/serve-process.ts";
import { findGrowth, toFigures, type Sample } from "./soak/growth.ts";
import { createVisitors } from "./soak/visitors.ts";

/**
 * Uses both services in every way for an hour and watches what they hold on to:
 *
 *     npm run soak
 *     npm run soak -- --minutes 5
 *
 * Prints memory, open files and timers at the start and at the end, and how fast they grow. Exits with 1 when something
 * only ever grows.
 */
const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" } } });
const minutes = Number(values.minutes);
if (!(minutes >= 1)) {
  process.stderr.write(`--minutes is "${values.minutes}": use a number from 1\n`);
  process.exit(64);
}
const sampleEveryMs = 5000;

await using provider = await startFakeProvider({ behaviour: after(5, echo) });
const watcher = new URL("./soak/count-resources.mjs", import.meta.url).href;
await using serve = await startServe(
  { LOG_LEVEL: "silent", HUB_BASE_URL: provider.url },
  { nodeOptions: ["--expose-gc", "--import", watcher], messages: true },
);
const visitors = createVisitors({ agent: serve.agent, evaluation: serve.evaluation, endpoint: provider.url });

const samples: Sample[] = [];
const ends = performance.now() + minutes * 60_000;
while (performance.now() < ends && serve.child.exitCode === null) {
  await wait(sampleEveryMs);
  samples.push({
    hours: performance.now() / 3_600_000,
    requests: visitors.requests(),
    ...(await serve.ask<Resources>("count")),
  });
  if (samples.length % 12 === 0) process.stderr.write(`${JSON.stringify(samples.at(-1))}\n`);
}
await visitors.stop();
serve.child.kill("SIGTERM");
const code = await serve.ended;

const growth = findGrowth(samples);
const figures = {
  suite: "soak",
  minutes,
  ...toFigures(samples),
  failed: visitors.failures(),
  "ended with": String(code),
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
const file = process.env["HARDENING_FIGURES"];
if (file) appendFileSync(file, `${JSON.stringify(figures)}\n`);
for (const line of growth) process.stderr.write(`${line}\n`);
process.exitCode = growth.length === 0 && code === 0 && visitors.failures() === 0 ? 0 : 1;

type Resources = Omit<Sample, "hours" | "requests">;
