import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { createOwnAddresses } from "./own-addresses.ts";

const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);

test("before the service listens no address is its own", () => {
  expect(createOwnAddresses().isOwnAddress({ host: "127.0.0.1", port: 8001 })).toBe(false);
});

test("a service on loopback owns every spelling of this machine at its port, and no other port", () => {
  const own = createOwnAddresses();
  own.add({ host: "127.0.0.1", port: 8001 });
  for (const host of [
    "127.0.0.1",
    "127.1.2.3",
    "::1",
    "::",
    "0.0.0.0",
    "localhost",
    "x.localhost",
    "::ffff:127.0.0.1",
  ]) {
    expect.soft(own.isOwnAddress({ host, port: 8001 }), host).toBe(true);
    expect.soft(own.isOwnAddress({ host, port: 8000 }), host).toBe(false);
  }
  expect(own.isOwnAddress({ host: "example.com", port: 8001 })).toBe(false);
});

test("a service on all interfaces also owns this machine's addresses on its networks", () => {
  const own = createOwnAddresses();
  own.add({ host: "0.0.0.0", port: 8001 });
  for (const { address, family } of others) {
    const spellings =
      family === "IPv4" ? [address, new URL(`http://[::ffff:${address}]`).hostname.slice(1, -1)] : [address];
    for (const host of spellings) expect.soft(own.isOwnAddress({ host, port: 8001 }), host).toBe(true);
  }
  expect(own.isOwnAddress({ host: "203.0.113.77", port: 8001 })).toBe(false);
});
