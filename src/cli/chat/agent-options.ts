import type { Command } from "commander";
import { withEnv } from "../options.ts";

/** Where the agent backend is that a command talks to. */
export interface AgentOptions {
  readonly agent?: string;
  readonly envFile?: readonly string[];
}

export const serverOption = "--agent";

export function withAgent(command: Command): Command {
  return withEnv(
    command.option(
      "--agent <url>",
      "use the agent backend at this address (REHEARSAL_AGENT) instead of one in this process",
    ),
  );
}
