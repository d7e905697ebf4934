import { createInterface } from "node:readline/promises";
import type { AgentClient, AgentMessages } from "../../client/create-agent-client.ts";
import { ServiceFailure } from "../../client/service-failure.ts";
import { note } from "../terminal/output.ts";
import { CliError } from "../cli-error.ts";
import { plainText } from "../terminal/plain-line.ts";
import { inOurWords } from "./unknown-model.ts";

export interface Conversation {
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
  const lines = createInterface({ input, output });
  tell(`Talking to ${modelId}. ${commandHelp}`);
  try {
    for (;;) {
      const content = await ask(lines);
      if (content === null) return;
      const typed = content.trim();
      if (typed === "/quit" || typed === "/exit") return;
      if (typed === "/reset") messages.length = 0;
      else if (typed === "/help") tell(commandHelp);
      else if (/^\/[a-z]+$/.test(typed)) tell(`There is no ${typed}. ${commandHelp}`);
      else if (typed !== "") await answer(content, { ...conversation, output, tell });
    }
  } finally {
    lines.close();
  }
}

const commandHelp = "/reset starts over, /help shows this, /quit or Ctrl-D ends.";

/** null: the person has left. */
async function ask(lines: ReturnType<typeof createInterface>): Promise<string | null> {
  const closed = Promise.withResolvers<null>();
  const leave = (): void => closed.resolve(null);
  lines.once("close", leave);
  try {
    return await Promise.race([lines.question("> "), closed.promise]);
  } catch {
    return null;
  } finally {
    lines.off("close", leave);
  }
}

type Turn = Conversation & Required<Pick<Conversation, "output" | "tell">>;

async function answer(content: string, { client, modelId, messages, output, tell }: Turn): Promise<void> {
  messages.push({ type: "human", content });
  try {
    const reply = await client.send(messages, { modelId });
    messages.push({ type: "ai", content: reply.content });
    output.write(`${plainText(reply.content)}\n`);
  } catch (error) {
    messages.pop();
    const told = inOurWords(error, modelId);
    if (told instanceof CliError) tell(told.message);
    else if (told instanceof ServiceFailure) tell(`${told.message}${told.problem ? ` ${told.problem.hint}` : ""}`);
    else throw told;
  }
}
