import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createNameLookups, type ResolvedAddress } from "./connector.ts";

const loopback: readonly ResolvedAddress[] = [{ address: "127.0.0.1", family: 4 }];
const waitMs = 5000;
const isSilent = (hostname: string) => hostname.startsWith("silent");

/** A name service that stays silent about some names until it is stopped. */
function startService() {
  const asked: string[] = [];
  const waiting: PromiseWithResolvers<readonly ResolvedAddress[]>[] = [];
  let time = 0;
  const resolve = createNameLookups({
    lookup: (hostname) => {
      asked.push(hostname);
      if (!isSilent(hostname)) return Promise.resolve(loopback);
      waiting.push(Promise.withResolvers());
      return waiting.at(-1)!.promise;
    },
    isAnswered: async (hostname) => !isSilent(hostname),
    now: () => time,
  });
  return {
    asked,
    resolve,
    pass: (milliseconds: number) => (time += milliseconds),
    giveUp: () => waiting.shift()?.reject(Object.assign(new Error("no"), { code: "EAI_AGAIN" })),
  };
}

test("resolves silent names in one thread and keeps the other free", async () => {
  const { asked, resolve } = startService();
  for (const hostname of ["silent-1.example", "silent-2.example", "silent-3.example"]) {
    resolve(hostname, { waitMs }).catch(() => {});
  }
  await setImmediate();
  for (const hostname of ["model.example", "model.example", "localhost"]) {
    expect(await resolve(hostname, { waitMs })).toEqual(loopback);
  }
  expect(asked).toEqual(["silent-1.example", "model.example", "model.example", "localhost"]);
});

test("coalesces concurrent lookups of one name, and repeats later ones", async () => {
  const { asked, resolve } = startService();
  await Promise.all([resolve("model.example", { waitMs }), resolve("model.example", { waitMs })]);
  expect(asked).toHaveLength(1);
  await resolve("model.example", { waitMs });
  expect(asked).toHaveLength(2);
});

test("skips a queued name when all its callers have given up", async () => {
  const { asked, resolve, pass, giveUp } = startService();
  const first = resolve("silent-1.example", { waitMs });
  await setImmediate();
  const left = resolve("silent-2.example", { waitMs });
  void resolve("silent-3.example", { waitMs }).catch(() => {});
  pass(3000);
  // Whoever asks for it later waits longer.
  void resolve("silent-3.example", { waitMs }).catch(() => {});
  pass(3000);
  giveUp();
  await expect(first).rejects.toThrow("no");
  await expect(left).rejects.toThrow("All callers have given up");
  await setImmediate();
  expect(asked).toEqual(["silent-1.example", "silent-3.example"]);
});

test("does not queue a silent name that was found quickly", async () => {
  const names: string[] = [];
  let time = 0;
  const resolve = createNameLookups({
    lookup: async (hostname) => {
      names.push(hostname);
      if (hostname === "half-silent") time += 10_000;
      return hostname === "silent" ? new Promise(() => {}) : loopback;
    },
    isAnswered: async () => false,
    now: () => time,
  });
  await resolve("hosts-file", { waitMs });
  await resolve("half-silent", { waitMs });
  void resolve("silent", { waitMs });
  await setImmediate();
  void resolve("half-silent", { waitMs });
  expect(await resolve("hosts-file", { waitMs })).toEqual(loopback);
  expect(names).toEqual(["hosts-file", "half-silent", "silent", "hosts-file"]);
});
