import { pino } from "pino";
import { expect, test } from "vitest";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { hang } from "../../../test/support/fake-provider/connection-faults.ts";
import { json } from "../../../test/support/fake-provider/replies.ts";
import { webhookSender } from "./background-jobs.ts";

test("logs a receiver that refuses or is unreachable, without the token in its address", async () => {
  await using refusing = await startFakeProvider({ behaviour: json({}, 404) });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const lines: string[] = [];
  const send = webhookSender(outbound, pino({ base: null }, { write: (line) => void lines.push(line) }));
  const message = { headers: {}, body: "{}", signal: new AbortController().signal };
  expect(await send({ ...message, url: `${refusing.origin}/hook?token=canary` })).toBe(false);
  expect(await send({ ...message, url: "http://127.0.0.1:1/canary" })).toBe(false);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, origin: refusing.origin, detail: expect.stringContaining("404") },
    { level: 40, origin: "http://127.0.0.1:1", code: "upstream_unreachable" },
  ]);
  expect(lines.join()).not.toContain("canary");
});

test("logs a receiver that does not respond in time", async () => {
  await using silent = await startFakeProvider({ behaviour: hang });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const lines: string[] = [];
  const send = webhookSender(outbound, pino({ base: null }, { write: (line) => void lines.push(line) }));
  const message = { url: silent.url, headers: {}, body: "{}" };
  expect(await send({ ...message, signal: AbortSignal.timeout(50) })).toBe(false);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ origin: silent.origin, code: "upstream_timeout" }]);
  const stopped = new Error("the service stops");
  await expect(send({ ...message, signal: AbortSignal.abort(stopped) })).rejects.toBe(stopped);
  expect(lines).toHaveLength(1);
});

test("logs nothing about a receiver that accepts", async () => {
  await using accepting = await startFakeProvider({ behaviour: json({}, 204) });
  await using outbound = createOutbound({ retry: { maximum: 0 } });
  const send = webhookSender(outbound, pino({}, { write: () => expect.unreachable() }));
  expect(await send({ url: accepting.url, headers: {}, body: "{}", signal: new AbortController().signal })).toBe(true);
});
