import { expect, onTestFinished, test } from "vitest";
import { testShell } from "../../../../test/support/test-shell.ts";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { readSettings } from "../../../settings.ts";
import { listen } from "../../http/listen.ts";
import { createLog } from "../../http/log.ts";
import { streamJson } from "./stream-text.ts";

/** Fails after a number of chunks, at once or, like a remote database, a little later. */
async function* failing({ chunks, waits }: { chunks: number; waits: boolean }): AsyncGenerator<string> {
  for (let count = 0; count < chunks; count += 1) yield "x".repeat(70_000);
  if (waits) await new Promise((resolve) => setTimeout(resolve, 5));
  throw new ServiceError("storage_unavailable", "The database cannot be reached.");
}

async function serveFailing(lines: string[]): Promise<string> {
  const app = testShell();
  const recording = createLog({ level: "info", write: (line) => void lines.push(line) });
  app.on("GET /{waits}/{chunks}", (context) => {
    const { waits, chunks } = context.req.param();
    return streamJson(context, failing({ chunks: Number(chunks), waits: waits === "later" }), { log: recording });
  });
  const { http: limits } = readSettings({}).settings;
  const log = createLog({ level: "silent" });
  const server = await listen({ app, host: "127.0.0.1", port: 0, limits, log, version: "9.9.9" });
  onTestFinished(() => server.close(0));
  return server.url;
}

test.each(["now", "later"])("responds with an error that occurs %s, before the first chunk", async (when) => {
  const lines: string[] = [];
  const answer = await fetch(`${await serveFailing(lines)}/${when}/0`);
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ code: "storage_unavailable" });
  expect(lines).toEqual([]);
});

test.each(["now", "later"])(
  "breaks the response off and logs the reason once when reading fails %s, after the first chunk",
  async (when) => {
    const lines: string[] = [];
    const url = await serveFailing(lines);
    for (const chunks of [1, 2, 3, 4, 20]) {
      const whole = fetch(`${url}/${when}/${chunks}`).then((answer) => answer.text());
      await expect(whole).rejects.toThrow(/terminated|fetch failed/);
      expect(lines.splice(0).map((line) => JSON.parse(line))).toMatchObject([
        { level: "warn", msg: "a response could not be sent completely", err: { code: "storage_unavailable" } },
      ]);
    }
  },
);
