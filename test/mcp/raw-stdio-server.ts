import { createInterface } from "node:readline";

/**
 * A server over standard input and output that says what its first argument, JSON, tells it to, also what no library would say.
 * `pages` are the answers to tools/list (the last one over and over), `calls` what is written line by line for each call: `$id`
 * stands for the id of the request, `$before` for that of the call before it, the line `exit` ends the process, and `fill` makes
 * an answer of that size. With `isRestless` it says all the time that its tools have changed.
 */
const { pages, calls = [], greeting = [], isRestless = false } = JSON.parse(process.argv[2] ?? "{}");
let page = 0;
let call = 0;
let before: unknown;

const writeLine = (line: unknown) =>
  process.stdout.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
const answer = (id: unknown, part: object) => writeLine({ jsonrpc: "2.0", id, ...part });

const sayChanged = () => writeLine({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });

greeting.forEach(writeLine);
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") {
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: "raw", version: "1" };
    answer(id, { result: { protocolVersion: "2025-06-18", capabilities, serverInfo } });
  } else if (method === "tools/list") {
    answer(id, { result: pages[Math.min(page++, pages.length - 1)] });
    if (isRestless && page === 1) setInterval(sayChanged, 20);
  } else if (method === "tools/call") {
    for (const said of calls[Math.min(call++, calls.length - 1)]) {
      if (said === "exit") process.exit(1);
      if (said.fill) answer(id, { result: { content: [{ type: "text", text: "x".repeat(said.fill) }] } });
      else writeLine(said.jsonrpc ? { ...said, id: { $id: id, $before: before }[said.id as string] } : said);
    }
    before = id;
  } else if (id !== undefined) {
    answer(id, { error: { code: -32601, message: "Method not found" } });
  }
}
process.exit(0);
