import { compact } from "../../../base/compact.ts";
import { createInterface, type Interface } from "node:readline";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { createAgentClient, type AgentClient, type AgentMessages } from "../../../client/agent-client.ts";
import { ServiceFailure, ServiceUnreachable } from "../../../client/caller.ts";
import type { AgentReply } from "../../../contract/schemas/agent/agent-message.ts";
import type { FileInteraction, FileScenario } from "../../../formats/scenario-file.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { loadEnvironment } from "../../config/load-settings.ts";
import { refuseOverwrite } from "../../terminal/files.ts";
import { withAgent, withForce, type AgentOptions } from "../../options/shared-options.ts";
import { requireScenarioEnding, writeScenarios } from "../../scenarios/write-scenarios.ts";
import { explainUnknownModel, openAgent } from "../../sources/open-session.ts";
import { note, printJson, printLine } from "../../terminal/output.ts";
import { plainJson, stripControlCodes } from "../../terminal/text.ts";

interface ChatCommandOptions extends AgentOptions {
  readonly model?: string;
  readonly save?: string;
  readonly asUser?: string;
  readonly scenario?: string;
  readonly json?: boolean;
  readonly force?: boolean;
}

/** `rehearsal chat` */
export function declare(command: Command): void {
  withAgent(command.argument("[message]", "one message; without it, stdin is read or a conversation starts"))
    .option("-m, --model <id>", "UUID or name of a fine-tuned model, or provider/model")
    .option("--save <file>", "save the conversation as a scenario: .yaml, .json or .jsonl")
    .option("--as-user <files>", "take the user's seat in a scenario, whose world the agent acts in")
    .option("--scenario <id>", "with --as-user: the scenario (default: the only one)")
    .option("--json", "print the agent's whole message as one JSON object")
    .action(chat);
  withForce(command);
}

async function chat(message: string | undefined, options: ChatCommandOptions): Promise<void> {
  const { model, save, asUser, scenario, json, force = false, ...where } = options;
  // Checked first: a conversation that cannot be saved would be lost.
  if (save !== undefined) requireScenarioEnding(save);
  await refuseOverwrite(save, { force });
  if (asUser !== undefined) return chatAsUser(message, { ...options, asUser });
  if (scenario !== undefined) note("--scenario has no effect without --as-user.");
  await using agent = await openAgent(where);
  const client = createAgentClient(agent);
  const modelId = model ?? (await defaultModel(client));
  const messages: AgentMessages = [];
  if (message !== undefined || !process.stdin.isTTY) {
    await sendOnce(message ?? (await text(process.stdin)), { client, modelId, messages, json: json ?? false });
  } else await converse({ client, modelId, messages });
  if (save !== undefined && messages.length > 0) {
    await writeScenarios([toChatScenario(messages)], { file: save, force });
  }
}

/** A person plays the user of a scenario. At the end, the conversation is compared with the scenario's `expect`. */
async function chatAsUser(
  message: string | undefined,
  options: ChatCommandOptions & { readonly asUser: string },
): Promise<void> {
  const { model, save, asUser, scenario: scenarioId, json = false, force = false, ...where } = options;
  const { takeUserSeat } = await import("../../scenarios/user-seat.ts");
  // The address of the world may be one of its variables.
  loadEnvironment(options.envFile);
  await using seat = await takeUserSeat({ files: asUser, scenarioId, onCall: note });
  // The agent backend of this command takes the world from here.
  if (seat.origin !== null) process.env["AGENT_WORLD_ORIGINS"] = seat.origin;
  await using agent = await openAgent(where);
  const plain = createAgentClient(agent);
  const modelId = model ?? (await defaultModel(plain));
  const messages: AgentMessages = [];
  const client: Pick<AgentClient, "send"> = {
    async send(said, sendOptions) {
      let reply: AgentReply | undefined;
      await seat.turn(async (worldUrl) => {
        reply = await plain.send(withPrompt(said, seat.scenario.system_prompt), { ...sendOptions, worldUrl });
        return readableReply(reply).text;
      });
      return reply as AgentReply;
    },
  };
  note(seat.introduction);
  if (message !== undefined || !process.stdin.isTTY) {
    await sendOnce(message ?? (await text(process.stdin)), { client, modelId, messages, json });
  } else await converse({ client, modelId, messages, onReset: () => seat.reset() });
  const outcome = await seat.outcome();
  if (outcome !== null && messages.length > 0) note(outcome);
  if (save === undefined || messages.length === 0) return;
  const { world, expect, system_prompt, id } = seat.scenario;
  const kept = compact({ world, expect, system_prompt: system_prompt || undefined });
  await writeScenarios([{ ...toChatScenario(messages), id: `${id}-played`, ...kept }], { file: save, force });
}

/** The contract has no system message, so instructions precede the first message, as in an evaluation. */
function withPrompt(messages: AgentMessages, prompt: string | undefined): AgentMessages {
  const [first, ...rest] = messages;
  if (!prompt || !first) return messages;
  const instructions = `<system_instructions>\n${prompt}\n</system_instructions>`;
  return [{ ...first, content: `${instructions}\n\n${first.content}` }, ...rest];
}

interface TerminalTurn {
  readonly client: Pick<AgentClient, "send">;
  readonly modelId: string;
  readonly messages: AgentMessages;
  readonly json: boolean;
}

async function sendOnce(content: string, { client, modelId, messages, json }: TerminalTurn): Promise<void> {
  if (content.trim() === "") throw new CliError("the message is empty: give one as an argument or on stdin");
  messages.push({ type: "human", content: content.trimEnd() });
  const reply = await client.send(messages, { modelId }).catch((error: unknown) => {
    throw explainUnknownModel(error, modelId);
  });
  const { text: said, waiting } = readableReply(reply);
  messages.push({ type: "ai", content: said });
  if (json) return printJson(reply);
  printLine(process.stdout.isTTY ? stripControlCodes(said) : said);
  if (waiting !== null) note(waiting);
}

/** The model when none is named: the demo's, or the only one there is. */
async function defaultModel(client: AgentClient): Promise<string> {
  const ids = (await client.models()).map(({ id }) => id);
  const demo = ids.find((id) => id === "demo/retrieval");
  if (demo !== undefined) return demo;
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) return only;
  throw new CliError(
    `no model was given: use --model with one of ${ids.slice(0, 10).join(", ") || "those that rehearsal models lists"}`,
  );
}

interface TerminalChat {
  readonly client: Pick<AgentClient, "send">;
  readonly modelId: string;
  /** Grows with every turn. */
  readonly messages: AgentMessages;
  readonly onReset?: () => Promise<void>;
  /** Default: the terminal. */
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
  /** Receives messages that are not part of the conversation. Default: stderr. */
  readonly onNote?: (text: string) => void;
}

/** Talks until the user leaves. A failed turn is reported and removed, so that it can be sent again. */
export async function converse(conversation: TerminalChat): Promise<void> {
  const { modelId, messages, input = process.stdin, output = process.stdout, onNote = note } = conversation;
  const lines = createInterface({ input, output, prompt: "> " });
  // Created before the first prompt, so that lines typed or pasted while the agent works are queued.
  const said = lines[Symbol.asyncIterator]();
  const { signal, prompt } = watchInput(lines);
  onNote(`Talking to ${modelId}. ${commandHelp}`);
  prompt();
  try {
    for await (const content of said) {
      const typed = content.trim();
      if (typed === "/quit" || typed === "/exit") return;
      if (typed === "/reset") {
        messages.length = 0;
        await conversation.onReset?.();
      } else if (typed === "/help") onNote(commandHelp);
      else if (/^\/[a-z]+$/.test(typed)) onNote(`Unknown command ${typed}. ${commandHelp}`);
      else if (typed !== "") await answerMessage(content, { ...conversation, output, onNote, signal });
      if (signal.aborted) return;
      prompt();
    }
  } finally {
    lines.close();
  }
}

const commandHelp = "/reset starts over, /help shows this, /quit or Ctrl-D ends.";

/** Ctrl-C aborts the turn in progress. After Ctrl-D, lines already typed are answered without another prompt. */
function watchInput(lines: Interface): { signal: AbortSignal; prompt: () => void } {
  const left = new AbortController();
  let closed = false;
  lines.once("close", () => (closed = true));
  lines.on("SIGINT", () => {
    left.abort();
    lines.close();
  });
  return { signal: left.signal, prompt: () => closed || lines.prompt() };
}

type ConversationTurn = TerminalChat &
  Required<Pick<TerminalChat, "output" | "onNote">> & { readonly signal: AbortSignal };

async function answerMessage(
  content: string,
  { client, modelId, messages, output, onNote, signal }: ConversationTurn,
): Promise<void> {
  messages.push({ type: "human", content });
  try {
    const { text, waiting } = readableReply(await client.send(messages, { modelId, signal }));
    messages.push({ type: "ai", content: text });
    if (text !== "" || waiting === null) output.write(`${stripControlCodes(text)}\n`);
    if (waiting !== null) onNote(waiting);
  } catch (error) {
    messages.pop();
    if (signal.aborted) return;
    const failure = explainUnknownModel(error, modelId);
    if (failure instanceof CliError || failure instanceof ServiceUnreachable) onNote(failure.message);
    else if (failure instanceof ServiceFailure)
      onNote(`${failure.message}${failure.problem ? ` ${failure.problem.hint}` : ""}`);
    else throw failure;
  }
}

/** A reply as it is shown to a person. */
interface ReadableReply {
  /** The agent's text, or its refusal. */
  readonly text: string;
  /** The calls that wait for approval and how to decide on them; null when there are none. */
  readonly waiting: string | null;
}

function readableReply({ content, additional_kwargs, tool_calls, id }: AgentReply): ReadableReply {
  const text = content === "" ? (additional_kwargs.refusal ?? "") : content;
  if (tool_calls.length === 0) return { text, waiting: null };
  const calls = tool_calls.map((call) => `${call.id}: ${call.name} ${plainJson(call.args)}`);
  const run = id.replace(/^run--/, "");
  return {
    text,
    waiting: `The agent waits for approval of ${calls.join(", ")}. POST /agent/runs/${run}/resume with your decision resumes it.`,
  };
}

/** Turns a conversation into a scenario. The agent's replies become references, to be edited where they are wrong. */
function toChatScenario(messages: AgentMessages, now: Date = new Date()): FileScenario {
  const interactions: FileInteraction[] = [];
  for (const { type, content } of messages) {
    const last = interactions.at(-1);
    if (type === "human") interactions.push(toInteraction(interactions.length + 1, content));
    else if (type === "ai" && last) interactions[interactions.length - 1] = { ...last, reference_reply: content };
  }
  const day = now.toISOString().slice(0, 19);
  return { id: `chat-${day.replaceAll(":", "")}`, description: `A conversation of ${day}Z.`, interactions };
}

function toInteraction(number: number, user_message: string): FileInteraction {
  return {
    id: `turn-${number}`,
    user_message,
    agent_reply: "",
    reference_reply: "",
    reference_metadata: {},
    generated_metadata: {},
  };
}
