import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { createAgentClient, type AgentClient, type AgentMessages } from "../../client/create-agent-client.ts";
import { withAgent, type AgentOptions } from "../chat/agent-options.ts";
import { chatModel } from "../chat/chat-model.ts";
import { converse } from "../chat/converse.ts";
import { openAgent } from "../chat/open-agent.ts";
import { toldReply } from "../chat/told-reply.ts";
import { toScenario } from "../chat/to-scenario.ts";
import { inOurWords } from "../chat/unknown-model.ts";
import { CliError } from "../cli-error.ts";
import { checkScenarioFile, writeScenarios } from "../scenarios/write-scenarios.ts";
import { note, printJson, printLine } from "../terminal/output.ts";
import { plainText } from "../terminal/plain-line.ts";

interface ChatOptions extends AgentOptions {
  readonly model?: string;
  readonly save?: string;
  readonly json?: boolean;
}

/** `rehearsal chat` */
export function declare(command: Command): void {
  withAgent(command.argument("[message]", "one message; without it, read stdin or talk"))
    .option("-m, --model <id>", "UUID or name of a fine-tuned model, or provider/model")
    .option("--save <file>", "keep the conversation as a scenario: .yaml, .json or .jsonl")
    .option("--json", "print the agent's whole message as one JSON object")
    .action(chat);
}

async function chat(message: string | undefined, { model, save, json, ...where }: ChatOptions): Promise<void> {
  // Before anything is asked: a conversation that cannot be kept would be lost.
  if (save !== undefined) checkScenarioFile(save);
  await using agent = await openAgent(where);
  const client = createAgentClient(agent);
  const modelId = model ?? (await chatModel(client));
  const messages: AgentMessages = [];
  if (message !== undefined || !process.stdin.isTTY) {
    await once(message ?? (await text(process.stdin)), { client, modelId, messages, json: json ?? false });
  } else await converse({ client, modelId, messages });
  if (save !== undefined && messages.length > 0) {
    await writeScenarios([toScenario(messages)], { file: save });
  }
}

interface Turn {
  readonly client: AgentClient;
  readonly modelId: string;
  readonly messages: AgentMessages;
  readonly json: boolean;
}

async function once(content: string, { client, modelId, messages, json }: Turn): Promise<void> {
  if (content.trim() === "") throw new CliError("there is no message: give one, or pipe one in");
  messages.push({ type: "human", content: content.trimEnd() });
  const reply = await client.send(messages, { modelId }).catch((error: unknown) => {
    throw inOurWords(error, modelId);
  });
  const { text: said, waiting } = toldReply(reply);
  messages.push({ type: "ai", content: said });
  if (json) return printJson(reply);
  printLine(process.stdout.isTTY ? plainText(said) : said);
  if (waiting !== null) note(waiting);
}
