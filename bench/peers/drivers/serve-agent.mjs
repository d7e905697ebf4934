import { createServer } from "node:http";

/** Answers POST / with what `answer` makes of the messages. The same for every framework. */
export function serveAgent(answer) {
  const server = createServer(async (request, response) => {
    try {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const { messages } = JSON.parse(Buffer.concat(chunks).toString());
      const content = await answer(messages.map((message) => message.content));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ type: "ai", content }));
    } catch (error) {
      response.statusCode = 500;
      response.end(String(error));
    }
  });
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
  });
}

/** The one tool every framework gets. */
export const calculator = {
  name: "calculator",
  description: "Evaluates an arithmetic expression.",
  run: ({ expression }) => String(expression.split("*").reduce((product, factor) => product * Number(factor), 1)),
};
