import { expect, test } from "vitest";
import { createEvaluationClient } from "./create-evaluation-client.ts";

const noEvents = () => new Response("", { headers: { "content-type": "text/event-stream" } });

test.each([
  ["a service that is away", () => Promise.reject(new TypeError("fetch failed"))],
  ["a connection that broke", async () => noEvents()],
])("whoever gives up while %s is waited for is told the reason given", async (_case, answer) => {
  const controller = new AbortController();
  const enough = new Error("enough");
  const fetch = () => {
    setImmediate(() => controller.abort(enough));
    return answer();
  };
  const client = createEvaluationClient({ url: "http://127.0.0.1:9", fetch });
  const events = client.events("run", { signal: controller.signal });
  await expect(events[Symbol.asyncIterator]().next()).rejects.toBe(enough);
});
