import type { Command } from "commander";
import { withSource, type SourceOptions } from "../../options/shared-options.ts";

interface McpCommandOptions extends SourceOptions {
  readonly allowRun?: boolean;
}

/** `rehearsal mcp` */
export function declare(command: Command): void {
  withSource(command)
    .option("--allow-run", "also offer to start evaluations, which call models and may cost money")
    .addHelpText("after", example)
    .action(async (options: McpCommandOptions) => {
      const { serveMcp } = await import("./mcp-server.ts");
      await serveMcp(options);
    });
}

const example = `
Speaks MCP over stdin and stdout, for an assistant's configuration:
  { "mcpServers": { "rehearsal": { "command": "npx", "args": ["--no", "--", "rehearsal", "mcp"] } } }`;
