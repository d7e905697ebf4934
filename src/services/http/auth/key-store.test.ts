import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { testShell } from "../../../../test/support/test-shell.ts";
import { keyFileIn } from "../../../settings/api-keys.ts";
import { openSqliteDatabase } from "../../../storage/drivers/sqlite-database.ts";
import { createKeyRecords } from "../../../storage/queries/api-keys.ts";
import { readKeyFile } from "./key-file.ts";
import {
  createKey,
  createKeySource,
  createLastUsed,
  createSharedKeySource,
  fileKeys,
  listKeys,
  readLastUsed,
  revokeKey,
  writeLastUsed,
  type KeySource,
} from "./key-store.ts";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rehearsal-keys-"));
  file = keyFileIn(folder);
});
// The last use of a key is written after the response.
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

function shell(
  { hadKeys = false }: { hadKeys?: boolean } = {},
  source: KeySource = createKeySource({ file, hadKeys }),
) {
  const app = testShell({ apiKeys: source });
  app.on("GET /who", (context) => context.text(context.get("caller").owner ?? "anonymous"), { scope: "evaluate" });
  return async (key?: string) => {
    const answer = await app.request("/who", { headers: key === undefined ? {} : { "x-api-key": key } });
    return answer.status === 200 ? answer.text() : ((await answer.json()) as { code: string }).code;
  };
}

test("shows a key once, and stores only its hash in a private file", async () => {
  const { key, record } = await createKey(fileKeys(file), { owner: "ci", scopes: ["evaluate", "evaluate"] });
  expect(key).toMatch(/^rh_[0-9A-Za-z]{8}_[\w-]{43}$/);
  expect(record).toMatchObject({ owner: "ci", scopes: ["evaluate"], expires_at: null, revoked_at: null });
  const text = await readFile(file, "utf8");
  // The secret part may contain underscores.
  expect(text).not.toContain(key.slice("rh_12345678_".length));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("creates the data folder as private as the services do", async () => {
  const made = join(folder, "new", "data");
  await createKey(fileKeys(keyFileIn(made)), { owner: "ci", scopes: ["evaluate"] });
  expect((await stat(made)).mode & 0o777).toBe(0o700);
});

test("reports a damaged file, or a file in place of the folder, in one line", async () => {
  await writeFile(file, "{");
  const options = { owner: "ci", scopes: ["evaluate" as const] };
  const damaged = { name: "StoreFileError", message: expect.stringContaining(`${file} is damaged`) };
  await expect(listKeys(fileKeys(file))).rejects.toMatchObject(damaged);
  await expect(createKey(fileKeys(file), options)).rejects.toMatchObject(damaged);
  const blocked = join(folder, "blocked.json");
  await mkdir(`${blocked}.lock`);
  await expect(createKey(fileKeys(blocked), options)).rejects.toMatchObject({
    name: "StoreFileError",
    message: `The keys in ${blocked} cannot be written (cannot be opened: check that its folder exists and is writable, and that more files may be opened (ulimit -n)).`,
  });
  const inFile = join(file, "keys.json");
  await expect(listKeys(fileKeys(inFile))).rejects.toMatchObject({
    message: `The keys in ${inFile} cannot be read (ENOTDIR).`,
  });
  await expect(createKey(fileKeys(inFile), options)).rejects.toMatchObject({
    name: "StoreFileError",
    message: expect.stringContaining(`The keys in ${inFile} cannot be written (`),
  });
});

test("is open without keys, and closed by the first key without a restart", async () => {
  const ask = shell();
  expect(await ask()).toBe("anonymous");
  const { key } = await createKey(fileKeys(file), { owner: "ci", scopes: ["admin"] });
  expect([await ask(), await ask(key)]).toEqual(["auth_missing", "ci"]);
});

test("ends a revoked key at once, and stays closed if it was the only one", async () => {
  const ask = shell();
  const expiresAt = new Date(Date.now() + 3_600_000);
  const { key, record } = await createKey(fileKeys(file), { owner: "ci", scopes: ["admin"], expiresAt });
  expect(await ask(key)).toBe("ci");
  expect(await revokeKey(fileKeys(file), record.id)).toBe(true);
  expect([await ask(key), await ask()]).toEqual(["auth_expired", "auth_missing"]);
  expect(await revokeKey(fileKeys(file), "nothing1")).toBe(false);
});

test("names the reason when a key has expired", async () => {
  const { key } = await createKey(fileKeys(file), {
    owner: "ci",
    scopes: ["admin"],
    expiresAt: new Date(Date.now() - 1000),
  });
  expect(await shell()(key)).toBe("auth_expired");
});

test("closes the service when the key file breaks or vanishes", async () => {
  const ask = shell();
  const { key } = await createKey(fileKeys(file), { owner: "ci", scopes: ["admin"] });
  expect(await ask(key)).toBe("ci");
  await writeFile(file, "{");
  expect([await ask(key), await ask()]).toEqual(["storage_unavailable", "storage_unavailable"]);
  await rm(file);
  expect([await ask(key), await ask()]).toEqual(["storage_unavailable", "storage_unavailable"]);
});

test("closes the service when the file loses its last key, until it has one again", async () => {
  const ask = shell();
  const { key } = await createKey(fileKeys(file), { owner: "ci", scopes: ["admin"] });
  expect(await ask(key)).toBe("ci");
  await writeFile(file, '{"version":1,"keys":[]}');
  expect([await ask(key), await ask()]).toEqual(["storage_unavailable", "storage_unavailable"]);
  const { key: another } = await createKey(fileKeys(file), { owner: "cd", scopes: ["admin"] });
  expect([await ask(another), await ask()]).toEqual(["cd", "auth_missing"]);
});

test("stays closed when the keys vanish between start and first request", async () => {
  expect(await shell({ hadKeys: true })()).toBe("storage_unavailable");
});

test.each(["anonymous", "Anonymous", "", "a b", "x".repeat(65), "a:b"])("refuses the key name %j", async (owner) => {
  await expect(createKey(fileKeys(file), { owner, scopes: ["admin"] })).rejects.toMatchObject({
    code: "validation_failed",
  });
  expect(await listKeys(fileKeys(file))).toEqual([]);
});

test("keeps all keys created at the same time, even after a process died in between", async () => {
  await writeFile(`${file}.lock`, "");
  await utimes(`${file}.lock`, 0, 0);
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => createKey(fileKeys(file), { owner: `k${index}`, scopes: ["agent"] })),
  );
  expect(new Set((await listKeys(fileKeys(file))).map(({ owner }) => owner)).size).toBe(20);
});

test("lists the last use of a key", async () => {
  const { key } = await createKey(fileKeys(file), { owner: "ci", scopes: ["admin"] });
  const before = Date.now();
  await shell()(key);
  let used: string | null | undefined;
  while (!used) used = (await listKeys(fileKeys(file)))[0]?.last_used_at;
  expect(Date.parse(used)).toBeGreaterThanOrEqual(before);
});

test("ends a revoked key also on hosts whose clock is behind", async () => {
  const { key, record } = await createKey(fileKeys(file), { owner: "ci", scopes: ["admin"] });
  await fileKeys(file).revoke(record.id, new Date(Date.now() + 3_600_000).toISOString());
  expect(await shell()(key)).toBe("auth_expired");
});

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 5 });

/** Two services on one database; the keys are read again when a test waits for it. */
async function sharingServices() {
  const database = await openSqliteDatabase({ file: ":memory:" });
  const records = createKeyRecords(database);
  const errors: unknown[] = [];
  let isAway = false;
  const reachable: typeof records = {
    ...records,
    list: async () => (isAway ? Promise.reject(new Error("away")) : records.list()),
  };
  const open = () =>
    createSharedKeySource({
      records: reachable,
      own: createKeySource({ file }),
      onError: (error) => errors.push(error),
      everyMs: 5,
    });
  const sources = [await open(), await open()] as const;
  return {
    records,
    errors,
    here: shell({}, sources[0]),
    there: shell({}, sources[1]),
    goAway: (away: boolean) => void (isAway = away),
    async [Symbol.asyncDispose]() {
      for (const source of sources) source[Symbol.dispose]();
      await database.close();
    },
  };
}

test("shares keys and their revocation between all services on a database", async () => {
  await using services = await sharingServices();
  const { records, here, there } = services;
  expect([await here(), await there()]).toEqual(["anonymous", "anonymous"]);
  const { key, record } = await createKey(records, { owner: "ci", scopes: ["admin"] });
  await eventually(async () => expect([await here(key), await there(key)]).toEqual(["ci", "ci"]));
  expect(await there()).toBe("auth_missing");
  await eventually(async () => expect((await listKeys(records))[0]?.last_used_at).not.toBeNull());
  await revokeKey(records, record.id);
  await eventually(async () => expect([await here(key), await there(key)]).toEqual(["auth_expired", "auth_expired"]));
});

test("serves known keys while the database is unavailable, and applies revocations afterwards", async () => {
  await using services = await sharingServices();
  const { records, here, errors, goAway } = services;
  const { key, record } = await createKey(records, { owner: "ci", scopes: ["admin"] });
  await eventually(async () => expect(await here(key)).toBe("ci"));
  goAway(true);
  await revokeKey(records, record.id);
  await eventually(() => expect(errors.length).toBeGreaterThan(2));
  expect([await here(key), await here()]).toEqual(["ci", "auth_missing"]);
  goAway(false);
  await eventually(async () => expect(await here(key)).toBe("auth_expired"));
});

test("accepts keys of the data folder beside a shared database; either can end a key", async () => {
  const [kept, inFile, inDatabase] = await Promise.all(
    ["kept", "in-file", "in-database"].map((owner) => createKey(fileKeys(file), { owner, scopes: ["admin"] })),
  );
  await using services = await sharingServices();
  const { records, here } = services;
  await records.add(await readKeyFile(file));
  await revokeKey(fileKeys(file), inFile!.record.id);
  await revokeKey(records, inDatabase!.record.id);
  await eventually(async () => expect(await here(inDatabase!.key)).toBe("auth_expired"));
  expect([await here(kept!.key), await here(inFile!.key)]).toEqual(["kept", "auth_expired"]);
});

describe("the last use of keys", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** Waits for the file itself: the test controls only timers. */
  async function usedOnes(file: string, count: number): Promise<string[]> {
    let used = await readLastUsed(file);
    while (used.size < count) used = await readLastUsed(file);
    return [...used.keys()];
  }

  test("records a key used right after another one, without a further request", async () => {
    await using folder = await temporaryFolder();
    const file = folder.file("keys.json");
    const lastUsed = createLastUsed((times) => writeLastUsed(file, times));
    lastUsed("first");
    await vi.advanceTimersByTimeAsync(1);
    expect(await usedOnes(file, 1)).toEqual(["first"]);
    lastUsed("second");
    await vi.advanceTimersByTimeAsync(30_000);
    // A file that is being written is not readable yet, so the wait continues.
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await usedOnes(file, 2)).toEqual(["first", "second"]);
  });

  test("writes a use that could not be written with the next one", async () => {
    await using folder = await temporaryFolder();
    const file = folder.file("later/keys.json");
    const lastUsed = createLastUsed((times) => writeLastUsed(file, times));
    lastUsed("first");
    await vi.advanceTimersByTimeAsync(1);
    expect((await readLastUsed(file)).size).toBe(0);
    await mkdir(folder.file("later"));
    lastUsed("second");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await usedOnes(file, 2)).toEqual(["first", "second"]);
  });
});
