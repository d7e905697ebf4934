import type { Command } from "commander";
import { positiveNumber, wholeNumber } from "../../options/parsers.ts";
import { withSource, type SourceOptions } from "../../options/shared-options.ts";

interface McpCommandOptions extends SourceOptions {
  readonly allowRun?: boolean;
  readonly allowWrite?: string;
  readonly maxCalls?: number;
  readonly maxCost?: number;
}

/** `rehearsal mcp` */
export function declare(command: Command): void {
  withSource(command)
    .option("--allow-run", "also offer to start evaluations, which call models and may cost money")
    .option(
      "--max-calls <number>",
      "calls of models that one evaluation may make, with --allow-run",
      wholeNumber(1),
      500,
    )
    .option("--max-cost <usd>", "what one evaluation may cost, with --allow-run", positiveNumber)
    .option("--allow-write <folder>", "also offer to write new scenario files into this folder")
    .addHelpText("after", example)
    .action(async (options: McpCommandOptions) => {
      const { serveMcp } = await import("./mcp-server.ts");
      await serveMcp(options);
    });
}

const example = `
Speaks MCP over stdin and stdout, for an assistant's configuration:
  { "mcpServers": { "rehearsal": { "command": "npx", "args": ["--yes", "--package=rehearsal-eval", "--", "rehearsal", "mcp"] } } }`;
