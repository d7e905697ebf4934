#!/usr/bin/env node
// All else is imported after this check: an older Node has to get this far to print one clear line.
import "../required-node.ts";

if (Number.parseInt(process.versions.node, 10) < 24) await import("./process/node-22.ts");
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
