import { expect, test } from "vitest";
import { createEvaluationClient } from "./evaluation-client.ts";

const noEvents = () => new Response("", { headers: { "content-type": "text/event-stream" } });

test.each([
  ["an outage", () => Promise.reject(new TypeError("fetch failed"))],
  ["a broken connection", async () => noEvents()],
])("rejects with the reason of the signal during %s", async (_case, answer) => {
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
