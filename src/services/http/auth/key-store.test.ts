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
// When a key was last used is written behind the answer.
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

function shell(
  { hadKeys = false }: { hadKeys?: boolean } = {},
  source: KeySource = createKeySource({ file, hadKeys }),
) {
  const app = testShell({ apiKeys: source });
  app.get("/who", (context) => context.text(context.get("caller").name));
  return async (key?: string) => {
    const answer = await app.request("/who", { headers: key === undefined ? {} : { "x-api-key": key } });
    return answer.status === 200 ? answer.text() : ((await answer.json()) as { code: string }).code;
  };
}

test("a key is shown once; the file holds only its hash and is readable by its owner only", async () => {
  const { key, record } = await createKey(fileKeys(file), { owner: "ci", scopes: ["evaluate", "evaluate"] });
  expect(key).toMatch(/^rh_[0-9A-Za-z]{8}_[\w-]{43}$/);
  expect(record).toMatchObject({ owner: "ci", scopes: ["evaluate"], expires_at: null, revoked_at: null });
  const text = await readFile(file, "utf8");
  // The secret may hold underscores itself.
  expect(text).not.toContain(key.slice("rh_12345678_".length));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("the folder of the first key is as private as one that the services make", async () => {
  const made = join(folder, "new", "data");
  await createKey(fileKeys(keyFileIn(made)), { owner: "ci", scopes: ["evaluate"] });
  expect((await stat(made)).mode & 0o777).toBe(0o700);
});

test("a file that is damaged, or a folder that is none, is one line that names it", async () => {
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

test("without any key the service is open; the first key closes it, live", async () => {
  const ask = shell();
  expect(await ask()).toBe("anonymous");
  const { key } = await createKey(fileKeys(file), { owner: "ci", scopes: ["admin"] });
  expect([await ask(), await ask(key)]).toEqual(["auth_missing", "ci"]);
});

test("a revoked key ends at once, and does not open a service that had no other", async () => {
  const ask = shell();
  const expiresAt = new Date(Date.now() + 3_600_000);
  const { key, record } = await createKey(fileKeys(file), { owner: "ci", scopes: ["admin"], expiresAt });
  expect(await ask(key)).toBe("ci");
  expect(await revokeKey(fileKeys(file), record.id)).toBe(true);
  expect([await ask(key), await ask()]).toEqual(["auth_expired", "auth_missing"]);
  expect(await revokeKey(fileKeys(file), "nothing1")).toBe(false);
});

test("an expired key is told so", async () => {
  const { key } = await createKey(fileKeys(file), {
    owner: "ci",
    scopes: ["admin"],
    expiresAt: new Date(Date.now() - 1000),
  });
  expect(await shell()(key)).toBe("auth_expired");
});

test("a key file that breaks or disappears closes the service", async () => {
  const ask = shell();
  const { key } = await createKey(fileKeys(file), { owner: "ci", scopes: ["admin"] });
  expect(await ask(key)).toBe("ci");
  await writeFile(file, "{");
  expect([await ask(key), await ask()]).toEqual(["storage_unavailable", "storage_unavailable"]);
  await rm(file);
  expect([await ask(key), await ask()]).toEqual(["storage_unavailable", "storage_unavailable"]);
});

test("a key file whose last key was taken out closes the service, until there is one again", async () => {
  const ask = shell();
  const { key } = await createKey(fileKeys(file), { owner: "ci", scopes: ["admin"] });
  expect(await ask(key)).toBe("ci");
  await writeFile(file, '{"version":1,"keys":[]}');
  expect([await ask(key), await ask()]).toEqual(["storage_unavailable", "storage_unavailable"]);
  const { key: another } = await createKey(fileKeys(file), { owner: "cd", scopes: ["admin"] });
  expect([await ask(another), await ask()]).toEqual(["cd", "auth_missing"]);
});

test("a service that was started with keys is closed when they are gone before the first request", async () => {
  expect(await shell({ hadKeys: true })()).toBe("storage_unavailable");
});

test.each(["anonymous", "Anonymous", "", "a b", "x".repeat(65), "a:b"])("no key is named %j", async (owner) => {
  await expect(createKey(fileKeys(file), { owner, scopes: ["admin"] })).rejects.toMatchObject({
    code: "validation_failed",
  });
  expect(await listKeys(fileKeys(file))).toEqual([]);
});

test("keys made at the same moment are all kept, also after a process that died in the middle", async () => {
  await writeFile(`${file}.lock`, "");
  await utimes(`${file}.lock`, 0, 0);
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => createKey(fileKeys(file), { owner: `k${index}`, scopes: ["agent"] })),
  );
  expect(new Set((await listKeys(fileKeys(file))).map(({ owner }) => owner)).size).toBe(20);
});

test("the list says when a key was last used", async () => {
  const { key } = await createKey(fileKeys(file), { owner: "ci", scopes: ["admin"] });
  const before = Date.now();
  await shell()(key);
  let used: string | null | undefined;
  while (!used) used = (await listKeys(fileKeys(file)))[0]?.last_used_at;
  expect(Date.parse(used)).toBeGreaterThanOrEqual(before);
});

test("a revoked key has ended on hosts whose clock is behind, too", async () => {
  const { key, record } = await createKey(fileKeys(file), { owner: "ci", scopes: ["admin"] });
  await fileKeys(file).revoke(record.id, new Date(Date.now() + 3_600_000).toISOString());
  expect(await shell()(key)).toBe("auth_expired");
});

const eventually = (check: () => unknown) => vi.waitFor(check, { timeout: 20_000, interval: 5 });

/** Two services on one database; the keys are read again whenever a test waits for it. */
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

test("a key in a shared database is known to every service, and revoked for every one", async () => {
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

test("while the database is away known keys are served, and what was revoked ends when it is back", async () => {
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

test("a key of the data folder counts beside a shared database, and has ended when either says so", async () => {
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

describe("when keys were last used", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** Waits for the file itself: only timers are ours to move. */
  async function usedOnes(file: string, count: number): Promise<string[]> {
    let used = await readLastUsed(file);
    while (used.size < count) used = await readLastUsed(file);
    return [...used.keys()];
  }

  test("a key that is used a moment after another one is noted too, though nobody calls again", async () => {
    await using folder = await temporaryFolder();
    const file = folder.file("keys.json");
    const lastUsed = createLastUsed((times) => writeLastUsed(file, times));
    lastUsed("first");
    await vi.advanceTimersByTimeAsync(1);
    expect(await usedOnes(file, 1)).toEqual(["first"]);
    lastUsed("second");
    await vi.advanceTimersByTimeAsync(30_000);
    // A file that is being written says nothing yet: it is the wait for it that must go on.
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await usedOnes(file, 2)).toEqual(["first", "second"]);
  });

  test("what could not be written is written with the next use", async () => {
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
