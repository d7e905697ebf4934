import type { Command } from "commander";
import { envOption, oldEnvOption } from "../options.ts";

/** Where the agent backend is that a command talks to. */
export interface AgentOptions {
  readonly agent?: string;
  readonly envFile?: readonly string[];
}

export const serverOption = "--agent";

export function withAgent(command: Command): Command {
  return command
    .option("--agent <url>", "use the agent backend at this address (REHEARSAL_AGENT) instead of one in this process")
    .addOption(envOption())
    .addOption(oldEnvOption());
}
