import { expect, test } from "vitest";
import { rawHeaderCount } from "./header-check.ts";
import { testShell } from "../../../../test/support/test-shell.ts";

test("counts headers as sent, and by their parts without a server", async () => {
  const app = testShell();
  const counts: number[] = [];
  app.on("GET /count", (context) => {
    counts.push(rawHeaderCount(context, "X-Model-Id"));
    return context.text("ok");
  });
  await app.request("/count");
  await app.request("/count", { headers: { "x-model-id": "a/b" } });
  await app.request("/count", {
    headers: [
      ["x-model-id", "a/b"],
      ["x-model-id", "c/d"],
    ],
  });
  const rawHeaders = ["Host", "localhost", "X-MODEL-ID", "a/b"];
  await app.request("/count", {}, { incoming: { rawHeaders, socket: {} } });
  expect(counts).toEqual([0, 1, 2, 1]);
});
