import { dirname } from "node:path";
import { expect, test } from "vitest";
import { shellWord } from "../../base/shell-word.ts";
import { commands } from "../commands.ts";
import {
  commandWords,
  isUsualNode,
  nextCommand,
  nodeIn,
  resumeOrCancelHint,
  thisCall,
  withOwnCommand,
} from "./next-command.ts";

const clone = {
  script: "/clone/dist/cli/main.js",
  node: "/clone/node_modules/node/bin/node",
  isUsualNode: true,
  folder: "/clone",
  byNpx: false,
};
const installed = {
  ...clone,
  script: "/bot/node_modules/.bin/rehearsal",
  node: "/usr/bin/node",
  folder: "/bot",
  byNpx: true,
};
const globally = { ...installed, script: "/usr/bin/rehearsal", byNpx: false };

test.each([
  ["this folder", ".", clone, "node"],
  [
    "another folder with an older Node in the shell",
    "evals",
    { ...clone, isUsualNode: false },
    `cd evals && ${clone.node}`,
  ],
])("starts Node in %s", (_, folder, call, command) => {
  expect(nodeIn(folder, call)).toBe(command);
});

test.each([
  ["installed globally", ".", globally, "rehearsal eval"],
  ["a folder with a space", "my bot", globally, 'cd "my bot" && rehearsal eval'],
  ["npx", "demo", installed, "cd demo && npx rehearsal eval"],
  ["npx, where it would find nothing", "/tmp/x", installed, `cd /tmp/x && /usr/bin/node ${installed.script} eval`],
  ["a clone", ".", clone, "node dist/cli/main.js eval"],
  ["a folder in a clone", "apps/bot", clone, "cd apps/bot && node ../../dist/cli/main.js eval"],
  [
    "a clone with an older Node in the shell",
    ".",
    { ...clone, isUsualNode: false },
    "./node_modules/node/bin/node dist/cli/main.js eval",
  ],
  [
    "elsewhere with an older Node in the shell",
    "/tmp/x",
    { ...clone, isUsualNode: false },
    "cd /tmp/x && /clone/node_modules/node/bin/node ../../clone/dist/cli/main.js eval",
  ],
  ["a clone's own Node", ".", { ...clone, byNpx: true }, "npx node dist/cli/main.js eval"],
])("%s: prints a command that can be typed", (_name, folder, call, line) => {
  expect(nextCommand(folder, "eval", call)).toBe(line);
});

test("makes commands in a text typable", () => {
  const named = commands.map(({ name }) => name.split(" ")[0]);
  expect(commandWords.filter((word) => !named.includes(word))).toEqual([]);
  const text =
    "no scenarios were given (rehearsal init writes some; see rehearsal runs list). Rehearsal and .rehearsal stay";
  expect(withOwnCommand(text, "rehearsal")).toBe(text);
  expect(withOwnCommand(text, "npx node src/cli/main.ts")).toBe(
    "no scenarios were given (npx node src/cli/main.ts init writes some; see npx node src/cli/main.ts runs list). Rehearsal and .rehearsal stay",
  );
});

test("knows which Node the user's shell starts, also within npm scripts", () => {
  const folder = dirname(process.execPath);
  expect(isUsualNode(process.execPath, "/nowhere")).toBe(false);
  const plain = /[\\/]node_modules[\\/]/.test(folder);
  expect(isUsualNode(process.execPath, folder)).toBe(!plain);
});

test.each([
  ["runs/a-1.yaml", "runs/a-1.yaml"],
  ["C:\\runs", "C:\\runs"],
  ["my runs", '"my runs"'],
  ["it's", '"it\'s"'],
  ["$HOME's", "'$HOME'\\''s'"],
  ["", '""'],
])("quotes %j as %s", (word, typed) => {
  expect(shellWord(word)).toBe(typed);
});

test("prints how to resume and cancel a run, with the program as it was started and the location of the run", () => {
  const started = nextCommand(".", "", thisCall());
  expect(resumeOrCancelHint({ run_id: "run-1" }, { dataDir: "my runs" })).toBe(
    `Resume it with: ${started}eval --resume run-1 --data-dir "my runs"\n  Cancel it with: ${started}runs cancel run-1 --data-dir "my runs"`,
  );
  expect(resumeOrCancelHint({ run_id: "run-1" }, { server: "http://127.0.0.1:8001" })).toBe(
    `Resume it with: ${started}eval --resume run-1\n  Cancel it with: ${started}runs cancel run-1 --server http://127.0.0.1:8001`,
  );
});
