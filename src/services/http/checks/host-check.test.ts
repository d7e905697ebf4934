import { expect, test } from "vitest";
import { matchesHost } from "./host-check.ts";
import { testShell } from "../../../../test/support/test-shell.ts";

const app = testShell({ allowedHosts: ["eval.example.com", "*.inner.example", "fixed.example:9000"] });
const status = async (url: string, host?: string) => (await app.request(url, host ? { headers: { host } } : {})).status;

test.each([
  "localhost",
  "LOCALHOST:8000",
  "127.0.0.1:1",
  "[::1]:8000",
  "eval.example.com",
  "eval.example.com.:80",
  "a.inner.example",
  "fixed.example:9000",
])("accepts %s", async (host) => {
  expect(await status("http://localhost/healthz", host)).toBe(200);
});

test.each([
  "evil.example",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "inner.example",
  "xinner.example",
  "fixed.example:9001",
  "2130706433",
  "localhost:80:80",
  "localhost@evil",
  "",
])("refuses %j before routing", async (host) => {
  const response = await app.request("http://localhost/nowhere", { headers: { host: host || " " } });
  expect(response.status).toBe(421);
  expect(await response.json()).toMatchObject({ code: "host_not_allowed" });
});

test("checks an absolute target as well as the Host header", async () => {
  expect(await status("http://evil.example/healthz", "localhost")).toBe(421);
  expect(await status("http://localhost/healthz", "evil.example")).toBe(421);
});

test("accepts the address that the client connected to, and no other", async () => {
  const via = async (localAddress: string, host: string) => {
    const environment = { incoming: { socket: { localAddress } } };
    return (await app.request("http://localhost/healthz", { headers: { host } }, environment)).status;
  };
  expect(await via("10.1.2.3", "10.1.2.3:8000")).toBe(200);
  expect(await via("::ffff:10.1.2.3", "10.1.2.3:8000")).toBe(200);
  expect(await via("fe80::1", "[fe80::1]:8000")).toBe(200);
  expect(await via("10.9.9.9", "[fe80::1]:8000")).toBe(421);
  expect(await via("10.1.2.3", "evil.example")).toBe(421);
});

test("accepts every name with a star", () => {
  expect(matchesHost("*", "anything.example:1")).toBe(true);
});
