import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";

/** An agent with one tool, written by hand without a check too many: what a turn costs at least in this language. */

const endpoint = new URL(process.argv[2] ?? "");
const path = `${endpoint.pathname}/chat/completions`;
const pool = new Pool(endpoint.origin, { connections: 256 });
const tools = [
  {
    type: "function",
    function: {
      name: "calculator",
      description: "Multiplies.",
      parameters: { type: "object", properties: { expression: { type: "string" } }, required: ["expression"] },
    },
  },
];

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
  readonly tool_call_id?: string;
}

async function ask(messages: readonly Message[]): Promise<Message> {
  const answer = await pool.request({
    method: "POST",
    path,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "fake", messages, tools }),
  });
  const { choices } = (await answer.body.json()) as { choices: readonly { message: Message }[] };
  return choices[0]?.message ?? { role: "assistant", content: "" };
}

function multiply(text: string): string {
  const { expression } = JSON.parse(text) as { expression: string };
  return String(expression.split("*").reduce((product, factor) => product * Number(factor), 1));
}

async function turn(messages: Message[]): Promise<Message> {
  for (;;) {
    const message = await ask(messages);
    if (!message.tool_calls) return message;
    messages.push(message);
    for (const call of message.tool_calls) {
      messages.push({ role: "tool", tool_call_id: call.id, content: multiply(call.function.arguments) });
    }
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const server = createServer(async (request, response) => {
  const { messages } = JSON.parse(await readBody(request)) as { messages: readonly { content: string }[] };
  const answer = await turn(messages.map(({ content }) => ({ role: "user", content })));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ type: "ai", content: answer.content }));
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
