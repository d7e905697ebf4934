import { expect, test } from "vitest";
import { raw } from "../../../test/support/fake-provider/malformed-replies.ts";
import { startFakeProvider } from "../../../test/support/fake-provider.ts";
import { startTrapServer } from "../../../test/support/trap-server.ts";
import type { ResolvedAddress } from "./connector.ts";
import { createOutbound } from "./create-outbound.ts";
import { createOwnAddresses } from "./endpoint-policy.ts";

const { signal } = new AbortController();
const loopback: ResolvedAddress = { address: "127.0.0.1", family: 4 };
const elsewhere: ResolvedAddress = { address: "93.184.216.34", family: 4 };

test("refuses a name that resolves to a private address under policy public", async () => {
  await using trap = await startTrapServer();
  await using outbound = createOutbound({ policy: "public", resolve: async () => [loopback] });
  const result = await outbound.request({ url: `http://public.example:${trap.port}/`, method: "GET", signal });
  expect(result).toMatchObject({ ok: false, error: { code: "endpoint_address_refused", tries: 1, retryable: false } });
  expect(trap.hits).toBe(0);
});

test("refuses a name with one refused address among several", async () => {
  await using trap = await startTrapServer();
  await using outbound = createOutbound({ policy: "public", resolve: async () => [elsewhere, loopback] });
  const result = await outbound.request({ url: `http://mixed.example:${trap.port}/`, method: "GET", signal });
  expect(result).toMatchObject({ ok: false, error: { code: "endpoint_address_refused" } });
  expect(trap.hits).toBe(0);
});

test("checks a name again for every connection", async () => {
  await using provider = await startFakeProvider({ behaviour: raw("{}", { connection: "close" }) });
  const answers = [
    [loopback],
    [{ address: "169.254.169.254", family: 4 }],
    [loopback, { address: "fe80::1", family: 6 }],
  ];
  await using outbound = createOutbound({ retry: { maximum: 0 }, resolve: async () => answers.shift() ?? [] });
  const url = `http://rebind.example:${new URL(provider.origin).port}/`;
  const call = () => outbound.request({ url, method: "GET", signal });
  expect(await call()).toMatchObject({ ok: true });
  expect(await call()).toMatchObject({ error: { code: "endpoint_address_refused" } });
  expect(await call()).toMatchObject({ error: { code: "endpoint_address_refused" } });
  expect(await call()).toMatchObject({ error: { code: "upstream_dns" } });
  expect(provider.connections).toBe(1);
});

test("connects to the checked address with one lookup per connection", async () => {
  await using provider = await startFakeProvider();
  let lookups = 0;
  await using outbound = createOutbound({
    resolve: async () => {
      lookups += 1;
      return [loopback];
    },
  });
  const url = `http://model.example:${new URL(provider.origin).port}/v1/models`;
  expect(await outbound.request({ url, method: "GET", signal })).toMatchObject({ ok: true, status: 200 });
  expect(lookups).toBe(1);
});

test("refuses a name of a metadata address under policy local too", async () => {
  for (const address of [
    "169.254.169.254",
    "fe80::1",
    "::ffff:169.254.169.254",
    "fd00:ec2::254",
    "64:ff9b::a9fe:a9fe",
  ]) {
    await using outbound = createOutbound({
      resolve: async () => [{ address, family: address.includes(":") ? 6 : 4 }],
    });
    const result = await outbound.request({ url: "http://metadata.example/", method: "GET", signal });
    expect(result).toMatchObject({ ok: false, error: { code: "endpoint_address_refused" } });
  }
});

test("does not reuse a socket of policy local under policy public", async () => {
  await using provider = await startFakeProvider();
  await using outbound = createOutbound({ resolve: async () => [loopback] });
  const url = `http://model.example:${new URL(provider.origin).port}/v1/models`;
  expect(await outbound.request({ url, method: "GET", signal })).toMatchObject({ ok: true });
  expect(await outbound.request({ url, method: "GET", signal, policy: "public" })).toMatchObject({
    ok: false,
    error: { code: "endpoint_address_refused" },
  });
  expect(provider.requests).toHaveLength(1);
});

test("refuses a name of the service itself while connecting", async () => {
  await using trap = await startTrapServer();
  const own = createOwnAddresses();
  await using outbound = createOutbound({ isOwnAddress: own.isOwnAddress, resolve: async () => [loopback] });
  own.add({ host: "127.0.0.1", port: trap.port });
  for (const host of [
    "myself.example",
    "localhost",
    "127.0.0.1",
    "[::1]",
    "0.0.0.0",
    "127.8.8.8",
    "[::ffff:127.0.0.1]",
  ]) {
    const result = await outbound.request({ url: `http://${host}:${trap.port}/evaluate`, method: "POST", signal });
    expect.soft(result, host).toMatchObject({ ok: false, error: { code: "endpoint_address_refused" } });
  }
  expect(trap.hits).toBe(0);
});

test.each(["public", "allowlist"] as const)(
  "calls an address that this process opened under policy %s, in its literal form only",
  async (policy) => {
    await using provider = await startFakeProvider();
    await using trap = await startTrapServer();
    const opened = Number(new URL(provider.origin).port);
    await using outbound = createOutbound({
      policy,
      allow: [`http://allowed.example:${opened}`],
      isOpenedHere: ({ host, port }) => host === "127.0.0.1" && port === opened,
      resolve: async () => [loopback],
    });
    const call = (authority: string) =>
      outbound.request({ url: `http://${authority}/v1/models`, method: "GET", signal });
    expect(await call(`127.0.0.1:${opened}`)).toMatchObject({ ok: true });
    const others = [`localhost:${opened}`, `127.0.0.2:${opened}`, `[::1]:${opened}`, `[::ffff:127.0.0.1]:${opened}`];
    for (const authority of [...others, `name.example:${opened}`, `127.0.0.1:${trap.port}`]) {
      expect.soft(await call(authority), authority).toMatchObject({ ok: false });
    }
    expect([provider.requests.length, trap.hits]).toEqual([1, 0]);
  },
);

test("refuses an opened address that is the service itself", async () => {
  await using trap = await startTrapServer();
  await using outbound = createOutbound({ isOpenedHere: () => true, isOwnAddress: () => true });
  const result = await outbound.request({ url: `http://127.0.0.1:${trap.port}/`, method: "GET", signal });
  expect(result).toMatchObject({ ok: false });
  expect(trap.hits).toBe(0);
});

test("refuses an allowlisted name of a metadata address", async () => {
  await using outbound = createOutbound({
    policy: "allowlist",
    allow: ["http://listed.example"],
    resolve: async () => [{ address: "169.254.169.254", family: 4 }],
  });
  const result = await outbound.request({ url: "http://listed.example/", method: "GET", signal });
  expect(result).toMatchObject({ ok: false, error: { code: "endpoint_address_refused" } });
  expect(await outbound.request({ url: "http://other.example/", method: "GET", signal })).toMatchObject({
    error: { code: "endpoint_not_allowed", tries: 0 },
  });
});
