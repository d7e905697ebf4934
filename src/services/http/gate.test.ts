import { expect, test } from "vitest";
import { z } from "zod";
import { testShell } from "../../../test/support/test-shell.ts";

const app = testShell();
app.on("GET /things", (context) => context.json([]), {
  query: z.object({ state: z.string().optional(), limit: z.string().optional() }),
});

const warning = async (path: string) => (await app.request(path)).headers.get("warning");

test("names unknown query parameters with the nearest known ones", async () => {
  expect(await warning("/things?stat=failed&limit=1&zzzz=1")).toBe(
    '199 - "Unknown query parameters were ignored: stat (state?), zzzz"',
  );
  expect(await warning("/things?state=failed&limit=1&limit=2")).toBeNull();
  expect(await warning("/things")).toBeNull();
});

test("encodes and cuts any parameter name for the header", async () => {
  expect(await warning("/things?%22%0d%0a\u00e9=1")).toBe(
    '199 - "Unknown query parameters were ignored: %22%0D%0A%C3%A9"',
  );
  const many = Array.from({ length: 100 }, (_, index) => `${"x".repeat(50)}${index}=1`).join("&");
  expect((await warning(`/things?${many}`))?.length).toBeLessThan(500);
});
