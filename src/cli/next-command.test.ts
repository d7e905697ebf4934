import { expect, test } from "vitest";
import { nextCommand } from "./next-command.ts";

const clone = { script: "/clone/dist/cli/main.js", node: "/clone/node", folder: "/clone", byNpx: false };
const installed = { script: "/bot/node_modules/.bin/rehearsal", node: "/usr/bin/node", folder: "/bot", byNpx: true };
const globally = { ...installed, script: "/usr/bin/rehearsal", byNpx: false };

test.each([
  ["installed for everybody", ".", globally, "rehearsal eval"],
  ["a folder with a space", "my bot", globally, 'cd "my bot" && rehearsal eval'],
  ["npx", "demo", installed, "cd demo && npx rehearsal eval"],
  ["npx, where it would find nothing", "/tmp/x", installed, `cd /tmp/x && /usr/bin/node ${installed.script} eval`],
  ["a clone", ".", clone, "node dist/cli/main.js eval"],
  ["a folder in a clone", "apps/bot", clone, "cd apps/bot && node ../../dist/cli/main.js eval"],
  ["a clone's own Node", ".", { ...clone, byNpx: true }, "npx node dist/cli/main.js eval"],
])("%s: what is printed can be typed", (_name, folder, call, line) => {
  expect(nextCommand(folder, "eval", call)).toBe(line);
});
