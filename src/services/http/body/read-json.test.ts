import { Hono } from "hono";
import { expect, test } from "vitest";
import { readJson } from "./read-json.ts";
import { createErrorHandler } from "../responses/error-response.ts";
import { createLog } from "../log.ts";
import type { ShellEnvironment } from "../environment/shell-environment.ts";

const app = new Hono<ShellEnvironment>()
  .post("/", async (context) => context.json({ body: await readJson(context, { bytes: 1000, depth: 32, keys: 100 }) }))
  .onError(createErrorHandler({ log: createLog({ level: "silent" }) }));

interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly detail?: string;
  readonly body?: unknown;
}

async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await app.request("/", {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers },
    ...({ duplex: "half" } as object),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

test("returns a JSON object as sent, including NUL and lone surrogates", async () => {
  expect((await post(String.raw`{"a":"\u0000\ud800","b":[1]}`)).body).toEqual({ a: "\0\ud800", b: [1] });
});

test.each(["application/json", "Application/JSON; charset=utf-8", 'application/json;charset="UTF-8"'])(
  "accepts %s",
  async (type) => {
    expect((await post("{}", { "content-type": type })).status).toBe(200);
  },
);

test.each([
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/jsonp",
  "text/json",
  "application/problem+json",
  "application/json, text/plain",
  "",
])("refuses the media type %j", async (type) => {
  expect(await post("{}", { "content-type": type })).toMatchObject({ status: 415, code: "media_type" });
});

test.each(["application/json; charset=utf-16", "application/json; charset=latin1"])("refuses %s", async (type) => {
  expect(await post("{}", { "content-type": type })).toMatchObject({ status: 415, code: "media_type" });
});

test("lets other work proceed before each large body is parsed, even a single one", async () => {
  const large = new Hono<ShellEnvironment>().post("/", async (context) => {
    await readJson(context, { bytes: 1_000_000, depth: 32, keys: 100 });
    return context.text("read");
  });
  let rounds = 0;
  let isOver = false;
  const work = (): void => {
    rounds += 1;
    if (!isOver) setImmediate(work);
  };
  setImmediate(work);
  const headers = { "content-type": "application/json" };
  await large.request("/", { method: "POST", body: JSON.stringify("x".repeat(500_000)), headers });
  isOver = true;
  expect(rounds).toBeGreaterThanOrEqual(16);
});

test("refuses a compressed body unread", async () => {
  expect(await post("{}", { "content-encoding": "gzip" })).toMatchObject({ status: 415, code: "content_encoding" });
});

test.each([
  ["", /empty/],
  ["\ufeff{}", /unexpected "\ufeff" \(U\+FEFF\) at offset 0/],
  ['{"a":\u00a01}', /unexpected "\u00a0" \(U\+00A0\) at offset 5/],
  ["{", /unexpected end at offset 1 \(line 1, column 2\)/],
  ["\ufeff{}", /offset 0/],
  ['{\n  "a": secret-value\n}', /unexpected "s" at offset 9 \(line 2, column 8\)/],
])("refuses %j and names the position of the error", async (text, detail) => {
  const answer = await post(text);
  expect(answer).toMatchObject({ status: 400, code: "json_invalid" });
  expect(answer.detail).toMatch(detail);
  expect(answer.detail).not.toContain("secret-value");
});

test.each([
  ["stray continuation", [0x22, 0x80, 0x22]],
  ["overlong", [0x22, 0xc0, 0xaf, 0x22]],
  ["encoded surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ["cut character", [0x22, 0xe2, 0x82, 0x22]],
])("refuses bytes that are not UTF-8: %s", async (_name, bytes) => {
  expect(await post(new Uint8Array(bytes))).toMatchObject({ status: 400, code: "encoding_invalid" });
});

test("applies the exact limit, with and without a declared length", async () => {
  const text = (size: number) => JSON.stringify("x".repeat(size - 2));
  expect((await post(text(1000))).status).toBe(200);
  expect(await post(text(1001))).toMatchObject({ status: 413, code: "body_too_large" });
  expect(await post(text(1001), { "content-length": "1001" })).toMatchObject({ status: 413 });
});

test("refuses an endless body and closes its connection", async () => {
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(400)) });
  const response = await app.request("/", {
    method: "POST",
    body: endless,
    headers: { "content-type": "application/json" },
    ...({ duplex: "half" } as object),
  });
  expect(response.status).toBe(413);
  expect(response.headers.get("connection")).toBe("close");
});

test("refuses nesting and forbidden keys before parsing, and pollutes nothing", async () => {
  expect(await post("[".repeat(33))).toMatchObject({ status: 422, code: "json_too_deep" });
  expect(await post('{"__proto__":{"polluted":1}}')).toMatchObject({ status: 422, code: "key_forbidden" });
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});
