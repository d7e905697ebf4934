import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { expect, test } from "vitest";
import { openPostgres } from "../../src/storage/drivers/open-postgres.ts";
import { createTestDatabase } from "../support/shared-postgres.ts";
import { sampleRun } from "./sample-runs.ts";
import { storedTurn } from "./suite-helpers.ts";

/** A proxy before the server. After a failover the old connections are silent; new ones work. */
async function startProxy(target: URL) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => {}));
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    failOver() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** Ends silent connections, as the system would after a quarter of an hour. */
    endSilent() {
      for (const socket of sockets) if (socket.isPaused()) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("connections that fall silent in a failover are given up, and writes go on over new ones", async () => {
  await using database = await createTestDatabase();
  await using proxy = await startProxy(new URL(database.url));
  await using storage = await openPostgres({ url: proxy.url, answerMs: 500, sweepMs: 0 });
  await storage.store.runs.create(sampleRun({ scenarios: 1 }));
  const [claimed] = await storage.queue.claim({ worker: "w", limit: 1, perRun: 1 });
  proxy.failOver();
  expect(await storage.store.interactions.store(claimed!.lease, storedTurn(0))).toBe(true);
  expect((await storage.store.runs.list({ limit: 9 })).runs).toMatchObject([{ progress: { interactions_done: 1 } }]);
  proxy.endSilent();
});

test("a stop gives up a server that says nothing, however long it may take to answer", async () => {
  await using database = await createTestDatabase();
  await using proxy = await startProxy(new URL(database.url));
  const storage = await openPostgres({ url: proxy.url, answerMs: 3_600_000, sweepMs: 0 });
  proxy.failOver();
  const creating = storage.store.runs.create(sampleRun({ scenarios: 1 }));
  storage.stopWaiting();
  await expect(creating).rejects.toMatchObject({ code: "storage_unavailable" });
  await storage.close();
});
