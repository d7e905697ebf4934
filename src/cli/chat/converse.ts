import { createInterface } from "node:readline/promises";
import type { AgentClient, AgentMessages } from "../../client/create-agent-client.ts";
import { ServiceFailure } from "../../client/service-failure.ts";
import { note } from "../terminal/output.ts";
import { plainText } from "../terminal/plain-line.ts";

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
  tell(`Talking to ${modelId}. /reset starts over, /quit or Ctrl-D ends.`);
  try {
    for (;;) {
      const content = await ask(lines);
      if (content === null || content === "/quit" || content === "/exit") return;
      if (content === "/reset") messages.length = 0;
      else if (content.trim() !== "") await answer(content, { ...conversation, output, tell });
    }
  } finally {
    lines.close();
  }
}

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
    if (!(error instanceof ServiceFailure)) throw error;
    tell(`${error.message}${error.problem ? ` ${error.problem.hint}` : ""}`);
  }
}
