#!/usr/bin/env node
// Nothing is imported before this check: an older Node must get this far to say what is wrong in one line.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 16)) {
  console.error(`rehearsal needs Node 24.16 or newer; this is ${process.version} (https://nodejs.org/en/download)`);
  process.exit(78);
}

const parameters = process.argv.slice(2);
const { namedCommand } = await import("./named-command.ts");
const { startLean } = await import("./start-lean.ts");
startLean(namedCommand(parameters));
const { enableCompileCache } = await import("node:module");
enableCompileCache();
const { holdMemory } = await import("./hold-memory.ts");
holdMemory();
const { holdYoungSpace } = await import("./hold-young-space.ts");
holdYoungSpace();
const { runCli } = await import("./run-cli.ts");
await runCli(parameters);

export {};
