import { createInterface } from "node:readline/promises";
import type { AgentClient, AgentMessages } from "../../client/create-agent-client.ts";
import { ServiceFailure } from "../../client/service-failure.ts";
import { note, printLine } from "../terminal/output.ts";
import { styleFor } from "../terminal/style.ts";

export interface Conversation {
  readonly client: AgentClient;
  readonly modelId: string;
  /** Grows as the two talk. */
  readonly messages: AgentMessages;
}

/** Talks until the person leaves. A turn that fails is told and forgotten, so it can be tried again. */
export async function converse({ client, modelId, messages }: Conversation): Promise<void> {
  const style = styleFor(process.stdout);
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  note(`Talking to ${modelId}. /reset starts over, /quit or Ctrl-D ends.`);
  try {
    for (;;) {
      const content = await ask(lines, style("bold", "> "));
      if (content === null || content === "/quit" || content === "/exit") return;
      if (content === "/reset") messages.length = 0;
      else if (content.trim() !== "") await answer(content, { client, modelId, messages });
    }
  } finally {
    lines.close();
  }
}

/** null: the person has left. */
async function ask(lines: ReturnType<typeof createInterface>, prompt: string): Promise<string | null> {
  const closed = Promise.withResolvers<null>();
  const leave = (): void => closed.resolve(null);
  lines.once("close", leave);
  try {
    return await Promise.race([lines.question(prompt), closed.promise]);
  } catch {
    return null;
  } finally {
    lines.off("close", leave);
  }
}

async function answer(content: string, { client, modelId, messages }: Conversation): Promise<void> {
  messages.push({ type: "human", content });
  try {
    const reply = await client.send(messages, { modelId });
    messages.push({ type: "ai", content: reply.content });
    printLine(reply.content);
  } catch (error) {
    messages.pop();
    if (!(error instanceof ServiceFailure)) throw error;
    note(`${error.message}${error.problem ? ` ${error.problem.hint}` : ""}`);
  }
}
