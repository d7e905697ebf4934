import { createInterface, type Interface } from "node:readline";
import type { AgentClient, AgentMessages } from "../../client/create-agent-client.ts";
import { ServiceFailure, ServiceUnreachable } from "../../client/service-failure.ts";
import { note } from "../terminal/output.ts";
import { CliError } from "../cli-error.ts";
import { plainText } from "../terminal/plain-line.ts";
import { toldReply } from "./told-reply.ts";
import { inOurWords } from "./unknown-model.ts";

interface Conversation {
  readonly client: Pick<AgentClient, "send">;
  readonly modelId: string;
  /** Grows as the two talk. */
  readonly messages: AgentMessages;
  /** Where the person is; the terminal by default. */
  readonly input?: NodeJS.ReadableStream;
  readonly output?: NodeJS.WritableStream;
  /** Told what is not part of the conversation. */
  readonly tell?: (text: string) => void;
}

/** Talks until the person leaves. A turn that fails is told and forgotten, so it can be tried again. */
export async function converse(conversation: Conversation): Promise<void> {
  const { modelId, messages, input = process.stdin, output = process.stdout, tell = note } = conversation;
  const lines = createInterface({ input, output, prompt: "> " });
  // Before the first prompt: lines that are typed or pasted while the agent thinks wait here for their turn.
  const said = lines[Symbol.asyncIterator]();
  const { signal, prompt } = hold(lines);
  tell(`Talking to ${modelId}. ${commandHelp}`);
  prompt();
  try {
    for await (const content of said) {
      const typed = content.trim();
      if (typed === "/quit" || typed === "/exit") return;
      if (typed === "/reset") messages.length = 0;
      else if (typed === "/help") tell(commandHelp);
      else if (/^\/[a-z]+$/.test(typed)) tell(`There is no ${typed}. ${commandHelp}`);
      else if (typed !== "") await answer(content, { ...conversation, output, tell, signal });
      if (signal.aborted) return;
      prompt();
    }
  } finally {
    lines.close();
  }
}

const commandHelp = "/reset starts over, /help shows this, /quit or Ctrl-D ends.";

/** Ctrl-C aborts: the person does not wait for the answer any more. After Ctrl-D what was typed is answered without a prompt. */
function hold(lines: Interface): { signal: AbortSignal; prompt: () => void } {
  const left = new AbortController();
  let closed = false;
  lines.once("close", () => (closed = true));
  lines.on("SIGINT", () => {
    left.abort();
    lines.close();
  });
  return { signal: left.signal, prompt: () => closed || lines.prompt() };
}

type Turn = Conversation & Required<Pick<Conversation, "output" | "tell">> & { readonly signal: AbortSignal };

async function answer(content: string, { client, modelId, messages, output, tell, signal }: Turn): Promise<void> {
  messages.push({ type: "human", content });
  try {
    const { text, waiting } = toldReply(await client.send(messages, { modelId, signal }));
    messages.push({ type: "ai", content: text });
    if (text !== "" || waiting === null) output.write(`${plainText(text)}\n`);
    if (waiting !== null) tell(waiting);
  } catch (error) {
    messages.pop();
    if (signal.aborted) return;
    const told = inOurWords(error, modelId);
    if (told instanceof CliError || told instanceof ServiceUnreachable) tell(told.message);
    else if (told instanceof ServiceFailure) tell(`${told.message}${told.problem ? ` ${told.problem.hint}` : ""}`);
    else throw told;
  }
}
