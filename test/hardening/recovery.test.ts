import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFakeProvider, type FakeProvider } from "../support/fake-provider.ts";
import { send } from "../support/http.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";
import { report } from "./support/figures.ts";
import { serveThatEnds, startServe } from "./support/serve-process.ts";
import { deepTest } from "../support/deep-test.ts";

let provider: FakeProvider;
let folder: TemporaryFolder;

beforeAll(async () => {
  [provider, folder] = await Promise.all([startFakeProvider(), temporaryFolder()]);
});
afterAll(async () => {
  await provider.close();
  await folder[Symbol.asyncDispose]();
});

const evaluate = (evaluation: string) =>
  send(`${evaluation}/evaluate`, {
    body: {
      test_batch: { id: "s", interactions: [{ id: "1", user_message: "Hi" }] },
      endpoint: provider.url,
      model_id: "m",
    },
  });

/** A data directory with one finished run, as a stopped service left it. */
async function usedDirectory(name: string): Promise<string> {
  const dataDir = folder.file(name);
  await using serve = await startServe({ REHEARSAL_DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  expect((await evaluate(serve.evaluation)).status).toBe(200);
  serve.child.kill("SIGTERM");
  await serve.ended;
  return dataDir;
}

async function contentsOf(dataDir: string): Promise<Record<string, string>> {
  const names = (await readdir(dataDir)).toSorted();
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, (await readFile(join(dataDir, name))).toString("base64")])),
  );
}

describe("an unusable database ends the start with one line and is left unchanged", () => {
  test.each<[string, (file: string) => Promise<void>]>([
    [
      "text in place of a database",
      (file) => writeFile(file, "this is not a database, it is a text of some length\n".repeat(100)),
    ],
    ["a file cut in the middle of its first page", (file) => truncate(file, 1000)],
    [
      "a file whose pages are overwritten",
      async (file) => {
        const bytes = await readFile(file);
        bytes.fill(0xa5, 100, bytes.length);
        await writeFile(file, bytes);
      },
    ],
  ])("%s", async (name, damage) => {
    const dataDir = await usedDirectory(name.replaceAll(" ", "-"));
    const file = join(dataDir, "rehearsal.db");
    await damage(file);
    const before = (await contentsOf(dataDir))["rehearsal.db"];
    const { code, stderr } = await serveThatEnds({ REHEARSAL_DATA_DIR: dataDir });
    expect({ code, lines: stderr.trimEnd().split("\n").length, stderr }).toMatchObject({ code: 78, lines: 1 });
    expect(stderr).toContain(file);
    expect((await contentsOf(dataDir))["rehearsal.db"]).toBe(before);
  });
});

/** A small file system in a folder. Skips the test where this user cannot make one. */
async function mountSmall(dataDir: string, skip: () => void): Promise<void> {
  await mkdir(dataDir);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", dataDir], { stdio: "ignore" });
  } catch {
    process.stdout.write("not tried, because this user cannot mount a small file system\n");
    skip();
  }
}

test("a data directory that cannot be written to ends the start with one line", async ({ skip }) => {
  const dataDir = folder.file("read-only");
  await mountSmall(dataDir, skip);
  try {
    execFileSync("mount", ["-o", "remount,ro", dataDir], { stdio: "ignore" });
    const { code, stderr } = await serveThatEnds({ REHEARSAL_DATA_DIR: dataDir });
    expect({ code, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 78, lines: 1 });
    expect(stderr).toContain(dataDir);
  } finally {
    execFileSync("umount", ["-l", dataDir], { stdio: "ignore" });
  }
});

test("a full disk is 507, keeps what is stored, and ends when there is room again", async ({ skip }) => {
  const dataDir = folder.file("small-disk");
  await mountSmall(dataDir, skip);
  try {
    await using serve = await startServe({ REHEARSAL_DATA_DIR: dataDir, LOG_LEVEL: "silent" });
    const first = (await evaluate(serve.evaluation)).body as { run_id: string };
    await writeFile(join(dataDir, "ballast"), Buffer.alloc(4 * 1024 * 1024)).catch(() => {});
    const statuses = new Set<number>();
    for (let count = 0; count < 100 && !statuses.has(507); count += 1)
      statuses.add((await evaluate(serve.evaluation)).status);
    report("disk full", { statuses: [...statuses].join(" ") });
    expect([...statuses].filter((status) => ![200, 503, 507].includes(status))).toEqual([]);
    expect(statuses).toContain(507);
    expect((await send(`${serve.evaluation}/runs/${first.run_id}/results`)).status).toBe(200);
    execFileSync("rm", [join(dataDir, "ballast")]);
    expect((await evaluate(serve.evaluation)).status).toBe(200);
  } finally {
    execFileSync("umount", ["-l", dataDir], { stdio: "ignore" });
  }
});

deepTest(
  "while the store takes no writes the evaluation service is not ready, and the agent, which answers, is",
  async () => {
    await using serve = await startServe({
      REHEARSAL_DATA_DIR: folder.file("locked"),
      LOG_LEVEL: "silent",
    });
    const ready = async (service: string) => (await send(`${service}/readyz`)).status;
    using lock = new DatabaseSync(folder.file("locked/rehearsal.db"), { timeout: 5_000 });
    lock.exec("begin immediate");
    expect((await evaluate(serve.evaluation)).status).toBe(503);
    expect([await ready(serve.evaluation), await ready(serve.agent)]).toEqual([503, 200]);
    lock.exec("rollback");
    expect(await ready(serve.evaluation)).toBe(200);
    expect((await evaluate(serve.evaluation)).status).toBe(200);
  },
);

test("without its store the agent answers plain turns, and says that it is ready and what is missing", async () => {
  const dataDir = folder.file("gone");
  const environment = { REHEARSAL_DATA_DIR: dataDir, HUB_BASE_URL: provider.url, LOG_LEVEL: "silent" };
  await using serve = await startServe(environment);
  const ready = async (service: string) => {
    const { status, body } = await send(`${service}/readyz`);
    return { status, body };
  };
  const ask = async (headers: Record<string, string> = {}) =>
    (
      await send(`${serve.agent}/`, {
        headers: { "x-model-id": "hub/m", ...headers },
        body: { messages: [{ type: "human", content: "Hi" }] },
      })
    ).status;
  expect(await ready(serve.agent)).toEqual({ status: 200, body: { status: "ok" } });
  for (const name of await readdir(dataDir)) if (name.startsWith("rehearsal.db")) await rm(join(dataDir, name));
  expect(await ready(serve.agent)).toEqual({
    status: 200,
    body: { status: "ok", detail: expect.stringContaining("The store is unavailable") },
  });
  expect(await ready(serve.evaluation)).toMatchObject({ status: 503, body: { code: "storage_unavailable" } });
  expect([await ask(), await ask({ "x-thread-id": "t" })]).toEqual([200, 503]);
});

test("unreadable keys admit no request, and neither service is ready meanwhile", async () => {
  const dataDir = folder.file("keyed");
  await using serve = await startServe({ REHEARSAL_DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const addresses = [`${serve.evaluation}/runs`, `${serve.evaluation}/readyz`, `${serve.agent}/readyz`];
  const statuses = () => Promise.all(addresses.map(async (address) => (await send(address)).status));
  await writeFile(join(dataDir, "keys.json"), "{ half");
  expect(await statuses()).toEqual([503, 503, 503]);
  await rm(join(dataDir, "keys.json"));
  expect(await statuses()).toEqual([200, 200, 200]);
});
