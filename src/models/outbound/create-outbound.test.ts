import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, test } from "vitest";
import { Pools } from "./create-outbound.ts";

test("closes an idle connection however long the server would keep it", async () => {
  const server = createServer((_request, response) => response.setHeader("keep-alive", "timeout=600").end("{}"));
  server.keepAliveTimeout = 600_000;
  const connected = once(server, "connection") as Promise<[Socket]>;
  await once(server.listen(0, "127.0.0.1"), "listening");
  const pools = new Pools({ resolve: async () => [], connectTimeoutMs: 1000, idleMs: 100 });
  const allowed = { allowedOrigins: new Set<string>(), isOwnAddress: () => false, isOpenedHere: () => false };
  const agent = pools.for({ name: "local", ...allowed });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const { body } = await agent.request({ origin, path: "/", method: "GET" });
  expect(await body.text()).toBe("{}");
  const [socket] = await connected;
  await expect.poll(() => socket.destroyed, { timeout: 5000 }).toBe(true);
  await pools.close();
  server.close();
});
