#!/usr/bin/env node
// Nothing is imported before this check: an older Node has to get this far to print one clear line.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(`rehearsal needs Node 22.13 or newer; this is ${process.version} (https://nodejs.org/en/download)`);
  process.exit(78);
}

if (major < 24) await import("./process/node-22.ts");
const parameters = process.argv.slice(2);
const { namedCommand } = await import("./commands.ts");
const { acceptSupervision, needsSupervisor } = await import("./process/supervised.ts");
const command = namedCommand(parameters);
if (!acceptSupervision()) {
  if (needsSupervisor(command)) await (await import("./process/supervisor.ts")).supervise();
  (await import("./process/process-memory.ts")).restartWithMemoryLimits(command);
}
const { enableCompileCache } = await import("node:module");
enableCompileCache();
const { runCli } = await import("./program.ts");
await runCli(parameters);

export {};
