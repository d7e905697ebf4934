import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { dirname } from "node:path";
import { temporaryFolder } from "../temporary-folder.ts";
import { findPrograms, findUnprivilegedUser, type PostgresPrograms, type SystemUser } from "./programs.ts";

/** A server of our own in a temporary folder. */
interface PostgresServer {
  /** Connects to its maintenance database as the superuser. */
  readonly url: string;
  /** Ends every connection at once, as a crash would, and starts again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Settings for tests: small, quick, and without waiting for the disk, which no test takes the power from. */
const testSettings = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "fsync=off",
  "full_page_writes=off",
  "shared_buffers=64MB",
  "max_connections=200",
  "max_wal_size=256MB",
  "jit=off",
  "logging_collector=off",
];

export interface PostgresServerOptions {
  /** Settings of the server that replace those for tests, as `name=value`. */
  readonly settings?: readonly string[];
  /** The npm package with the programs. Default: the one that is installed. */
  readonly packageFolder?: string;
}

export async function startServer({
  settings = [],
  packageFolder,
}: PostgresServerOptions = {}): Promise<PostgresServer> {
  const [programs, user, port] = await Promise.all([findPrograms(packageFolder), findUnprivilegedUser(), freePort()]);
  const folder = await temporaryFolder();
  const data = folder.file("data");
  try {
    if (user) await chown(folder.path, user.uid, user.gid);
    await mkdir(data, { mode: 0o700 });
    if (user) await chown(data, user.uid, user.gid);
    await initialize(programs, { data, user });
    const place = { data, user, port, settings: [...testSettings, ...settings] };
    let server = await launch(programs, place);
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      async restart() {
        await end(server, "QUIT");
        server = await launch(programs, place);
      },
      async stop() {
        await end(server, "INT");
        await folder[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

interface Place {
  readonly data: string;
  readonly user: SystemUser | null;
}

async function initialize({ initdb }: PostgresPrograms, { data, user }: Place): Promise<void> {
  const flags = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  const child = spawn(initdb, flags, { ...user, stdio: ["ignore", "ignore", "pipe"] });
  const output = child.stderr.toArray();
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`initdb failed: ${Buffer.concat((await output) as Buffer[]).toString()}`);
}

/**
 * Starts the server below a shell that waits for its input to end and then stops it. Our death, whatever its cause,
 * ends that input: no server outlives the tests.
 */
async function launch(
  { postgres }: PostgresPrograms,
  { data, user, port, settings }: Place & { port: number; settings: readonly string[] },
): Promise<ChildProcess> {
  const flags = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])];
  const script = [
    `folder=$1; shift; "$@" </dev/null & server=$!; read -r signal`,
    `kill -"\${signal:-INT}" $server; wait $server; test -n "$signal" || rm -rf "$folder"`,
  ].join("; ");
  const child =
    process.platform === "win32"
      ? spawn(postgres, flags, { stdio: ["pipe", "ignore", "pipe"] })
      : spawn("sh", ["-c", script, "sh", dirname(data), postgres, ...flags], {
          ...user,
          stdio: ["pipe", "ignore", "pipe"],
        });
  let log = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-10_000);
      if (log.includes("ready to accept connections")) resolve();
    });
    const fail = (): void => reject(new Error(`PostgreSQL did not start: ${log}`));
    child.once("exit", fail);
    setTimeout(fail, 30_000).unref();
  });
  child.unref();
  return child;
}

async function end(child: ChildProcess, signal: "INT" | "QUIT"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.ref();
  if (process.platform === "win32") child.kill();
  else child.stdin?.end(`${signal}\n`);
  await exited;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
