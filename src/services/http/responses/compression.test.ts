import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { acceptedEncoding, compressResponse } from "./compression.ts";

const long = { text: "a word or two ".repeat(1000) };

const app = new Hono()
  .use(async (context, next) => {
    await next();
    await compressResponse(context);
  })
  .get("/short", (context) => context.json({ ok: true }))
  .get("/long", (context) => context.json(long, 200, { "x-own": "kept" }))
  .post("/long", (context) => context.json(long))
  .get("/events", (context) => context.body("data: x\n\n".repeat(500), 200, { "content-type": "text/event-stream" }))
  .get("/stream", (context) => {
    let left = 50;
    const body = new ReadableStream({
      pull(controller) {
        if (left-- === 0) return controller.close();
        controller.enqueue(new TextEncoder().encode(`${left} ${long.text}`));
      },
    });
    return context.body(body, 200, { "content-type": "application/json" });
  })
  .get("/breaks", (context) => {
    let left = 5;
    const body = new ReadableStream({
      pull: (controller) =>
        left-- === 0 ? controller.error(new Error("broken")) : controller.enqueue(new Uint8Array(100_000)),
    });
    return context.body(body, 200, { "content-type": "application/json" });
  });

const ask = (path: string, accepted = "gzip, deflate, br", init: RequestInit = {}) =>
  app.request(path, { ...init, headers: { "accept-encoding": accepted } });
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

test("prefers Brotli, and obeys weights of zero", () => {
  expect(acceptedEncoding("gzip, deflate, br, zstd")).toBe("br");
  expect(acceptedEncoding("br;q=0, gzip;q=0.1")).toBe("gzip");
  expect(acceptedEncoding("gzip;q=0.0")).toBeNull();
  expect(acceptedEncoding("x-gzipped, brotli")).toBeNull();
  expect(acceptedEncoding(undefined)).toBeNull();
});

test("compresses long JSON and streams, with their headers", async () => {
  const packed = await ask("/long");
  expect(Object.fromEntries(packed.headers)).toMatchObject({
    "content-encoding": "br",
    "x-own": "kept",
    vary: "Accept-Encoding",
  });
  expect(JSON.parse(brotliDecompressSync(await bytesOf(packed)).toString())).toEqual(long);
  const stream = await bytesOf(await ask("/stream", "gzip"));
  expect(stream.length).toBeLessThan(20_000);
  expect(gunzipSync(stream).toString().match(/\d+/g)).toEqual(
    Array.from({ length: 50 }, (_, index) => `${49 - index}`),
  );
});

test.each([
  ["/short", {}],
  ["/events", {}],
  ["/long", { method: "POST" }],
])("leaves %s %j as it is", async (path, init) => {
  const response = await ask(path, "gzip", init);
  expect(response.headers.get("content-encoding")).toBeNull();
  expect((await bytesOf(response)).length).toBeGreaterThan(10);
});

test("a response that breaks off is not mistaken for a complete one", async () => {
  await expect((async () => bytesOf(await ask("/breaks")))()).rejects.toThrow("broken");
});
