import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRecord } from "../src/base/json.ts";
import { shellBlocks } from "./docs/markdown.ts";
import { runServices, type RunningServices } from "./support/services.ts";

const run = promisify(execFile);
const page = readFileSync(join(import.meta.dirname, "../docs/http.md"), "utf8");
/** A curl command and the answer that follows it. */
const examples = [...page.matchAll(/```sh\n(curl [^`]*?)```\n(?:[^`]|`[^`\n]*`)*?```json\n([^`]*?)```/g)].map(
  ([, command = "", answer = ""]) => ({ command, answer: JSON.parse(answer) as unknown }),
);
const readme = shellBlocks("README.md");

let services: RunningServices;
beforeAll(async () => {
  services = await runServices();
});
afterAll(() => services[Symbol.asyncDispose]());

test("shows one example for each route it names", () => {
  expect(examples.map(({ command }) => /127\.0\.0\.1:(800\d\S*?)'?(?:\s|$)/.exec(command)?.[1])).toEqual([
    "8001/evaluate",
    "8001/evaluate",
    "8001/runs?limit=1",
    "8000/",
    "8000/studio/models",
    "8000/healthz",
  ]);
});

test("has no shell line that is neither such an example nor said to be left out", () => {
  expect(shellBlocks("docs/http.md")).toEqual({ run: examples.map(({ command }) => command), notRun: [] });
  expect(readme.notRun.map((line) => line.split(/ {2,}/)[0])).toEqual([
    "npm install --save-dev rehearsal-eval",
    "pip install rehearsal-eval",
    "npm start",
    "npm test",
  ]);
});

test("the README's curl lines are answered", async () => {
  const [evaluated, reply] = await Promise.all(readme.run.map(answerTo));
  expect(evaluated).toMatchObject({ message: "Evaluation completed: 2 interactions", state: "completed" });
  expect(reply).toMatchObject({ content: "17 * 23 is 391.", type: "ai" });
});

test("every curl line gives the answer that is shown", async () => {
  for (const { command, answer } of examples) {
    expect(asShown(await answerTo(command), answer)).toEqual(answer);
  }
});

async function answerTo(command: string): Promise<unknown> {
  const here = command
    .replaceAll("http://127.0.0.1:8000", services.agent)
    .replaceAll("http://127.0.0.1:8001", services.evaluation);
  const { stdout } = await run("sh", ["-c", here]);
  return JSON.parse(stdout);
}

/** The part of an answer that the page shows. `"…"` matches anything: a value, more keys, or more items. */
function asShown(actual: unknown, shown: unknown): unknown {
  if (shown === "…") return "…";
  if (Array.isArray(shown) && Array.isArray(actual)) {
    if (shown.at(-1) !== "…") return actual.map((item, index) => asShown(item, shown[index]));
    return shown.map((item, index) => asShown(actual[index], item));
  }
  if (!isRecord(shown) || !isRecord(actual)) return actual;
  const keys = Object.keys("…" in shown ? shown : actual);
  return Object.fromEntries(keys.map((key) => [key, asShown(actual[key], shown[key])]));
}
