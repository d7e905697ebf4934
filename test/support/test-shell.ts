import { createLog } from "../../src/services/http/log.ts";
import { createShell, type Shell, type ShellOptions } from "../../src/services/http/shell.ts";

/** A quiet shell for tests, with what a test wants to be different. */
export function testShell(options: Partial<ShellOptions> = {}): Shell {
  const log = createLog({ level: "silent" });
  return createShell({ title: "Test", version: "9.9.9", description: "A test", operations: [], log, ...options });
}
