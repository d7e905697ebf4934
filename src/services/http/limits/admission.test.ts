import { expect, test } from "vitest";
import { watchProcessLoad, type ProcessLoad } from "./process-load.ts";
import { testShell } from "../../../../test/support/test-shell.ts";

const calm: ProcessLoad = { lagMs: 1, rssBytes: 1000, heapShare: 0.5 };

function shell({ requests = 2, load = () => calm }: { requests?: number; load?: () => ProcessLoad }) {
  const app = testShell({ overload: { requests, lagMs: 250, rssBytes: 5000, load } });
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  app.on("GET /slow", async (context) => {
    await held;
    return context.text("done");
  });
  app.on("GET /quick", (context) => context.text("done"));
  return { app, release };
}

test("refuses concurrent requests over the limit with Retry-After, and answers the admitted ones", async () => {
  const { app, release } = shell({ requests: 2 });
  const taken = [app.request("/slow"), app.request("/slow")];
  const refused = await app.request("/quick");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await refused.json()).toMatchObject({ code: "overloaded", retryable: true });
  release();
  expect((await Promise.all(taken)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await app.request("/quick")).status).toBe(200);
});

test.each([
  ["a late event loop", { ...calm, lagMs: 300 }],
  ["too much memory", { ...calm, rssBytes: 6000 }],
  ["a heap that is nearly full", { ...calm, heapShare: 0.9 }],
])("refuses new requests for %s, but serves health", async (_name, load) => {
  const { app } = shell({ load: () => load });
  expect((await app.request("/quick")).status).toBe(503);
  expect((await app.request("/healthz")).status).toBe(200);
  expect((await app.request("/readyz")).status).toBe(200);
});

test("ends a failed request exactly once", async () => {
  const { app, release } = shell({ requests: 1 });
  for (let index = 0; index < 5; index += 1) expect((await app.request("/nowhere")).status).toBe(404);
  const taken = app.request("/slow");
  expect((await app.request("/quick")).status).toBe(503);
  release();
  expect((await taken).status).toBe(200);
});

test("reads the load of this process", () => {
  const watch = watchProcessLoad();
  expect(watch.read().lagMs).toBeGreaterThanOrEqual(0);
  expect(watch.read().rssBytes).toBeGreaterThan(1_000_000);
  watch.stop();
});
