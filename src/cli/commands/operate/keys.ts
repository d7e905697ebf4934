import { Argument, type Command } from "commander";
import { scopes, type Scope } from "../../../contract/operations/operation.ts";
import type { KeyRecords } from "../../../contract/ports/api-keys.ts";
import {
  createKey,
  fileKeys,
  listKeys,
  generateKey,
  revokeKey,
  type ListedKey,
} from "../../../services/http/auth/key-store.ts";
import type { Settings } from "../../../settings.ts";
import { keyFileIn, parseApiKeys } from "../../../settings/api-keys.ts";
import { quoted } from "../../../settings/settings-error.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { collectList, folderPath } from "../../options/parsers.ts";
import { withEnv, type LocalOptions } from "../../options/shared-options.ts";
import { loadSettings, unreachable } from "../../config/load-settings.ts";
import { createDataFolder, openStorage, storeFile } from "../../composition/storage.ts";
import { note, outputWidth, printJson, printLine } from "../../terminal/output.ts";
import { table } from "../../terminal/table.ts";

interface KeyCommandOptions extends LocalOptions {
  readonly scopes?: readonly string[];
  readonly expires?: string;
  readonly entry?: boolean;
  readonly json?: boolean;
}

/** `rehearsal keys` */
export function declare(command: Command): void {
  withEnv(
    command
      .addArgument(new Argument("<action>", "create, list or revoke").choices(["create", "list", "revoke"]))
      .argument("[name]", "owner of the new key, or id of the key to revoke")
      .option(
        "--scopes <names>",
        `what the key may do: ${scopes.join(", ")} (default: evaluate,runs:read)`,
        collectList,
      )
      .option("--expires <date>", "last day of the key, such as 2027-12-31")
      .option("--entry", "store nothing; print the key and its entry for REHEARSAL_API_KEYS")
      .option(
        "--data-dir <folder>",
        "where keys are kept, unless DATABASE_URL is a PostgreSQL (REHEARSAL_DATA_DIR)",
        folderPath,
      ),
  )
    .option("--json", "print the answer as one JSON object")
    .action(keys);
}

async function keys(
  action: "create" | "list" | "revoke",
  name: string | undefined,
  options: KeyCommandOptions,
): Promise<void> {
  refuseUnusedOptions(action, name, options);
  const { envFile, dataDir } = options;
  const { settings } = await loadSettings({ envFile, overrides: { ...unreachable, REHEARSAL_DATA_DIR: dataDir } });
  const use = async (work: (records: KeyRecords) => Promise<void>): Promise<void> => {
    await using opened = await openKeys(settings);
    await work(opened.keys);
  };
  if (action === "list") return use(async (records) => printKeys(await listKeys(records), options));
  if (name === undefined) {
    throw new CliError(
      action === "create"
        ? "keys create needs an owner: rehearsal keys create NAME"
        : "keys revoke needs an id: rehearsal keys revoke ID",
    );
  }
  if (action === "revoke") return use((records) => revoke(records, name, options));
  return options.entry ? printEntry(name, options) : use((records) => create(records, name, options));
}

/** Refuses options that would have no effect: a key asked for with an end must not be created without one. */
function refuseUnusedOptions(action: string, name: string | undefined, options: KeyCommandOptions): void {
  if (action === "list" && name !== undefined)
    throw new CliError(`keys list shows all keys: leave out ${quoted(name)}`);
  if (action !== "create") {
    const idle = (["scopes", "expires", "entry"] as const).find((option) => options[option] !== undefined);
    if (idle) throw new CliError(`--${idle} is for keys create`);
  }
  if (options.entry && options.expires !== undefined)
    throw new CliError(
      "--expires cannot be used with --entry: a key of REHEARSAL_API_KEYS is valid until its entry is removed",
    );
}

/** The keys in a shared database, else those in the data folder. */
async function openKeys(settings: Settings): Promise<AsyncDisposable & { readonly keys: KeyRecords }> {
  const inFolder = folderKeys(settings.dataDir);
  if (storeFile(settings) !== null) return { keys: inFolder, async [Symbol.asyncDispose]() {} };
  const storage = await openStorage(settings, { onError() {} });
  return {
    keys: storage.keys ? withFolderKeys(storage.keys, inFolder) : inFolder,
    [Symbol.asyncDispose]: storage.close,
  };
}

function folderKeys(folder: string): KeyRecords {
  const keys = fileKeys(keyFileIn(folder));
  return {
    ...keys,
    async add(added) {
      await createDataFolder(folder);
      await keys.add(added);
    },
  };
}

/** Also lists and revokes keys of this data folder, which a service running on it accepts. New keys go to the database. */
function withFolderKeys(shared: KeyRecords, inFolder: KeyRecords): KeyRecords {
  return {
    ...shared,
    async list() {
      const [keys, others] = [await shared.list(), await inFolder.list()];
      const known = new Set(keys.map(({ id }) => id));
      return [...keys, ...others.filter(({ id }) => !known.has(id))];
    },
    async revoke(id, at) {
      const isInFolder = (await inFolder.list()).some((key) => key.id === id);
      const revoked = await shared.revoke(id, at);
      return (isInFolder && (await inFolder.revoke(id, at))) || revoked;
    },
  };
}

async function create(keys: KeyRecords, owner: string, options: KeyCommandOptions): Promise<void> {
  const { scopes: wanted, expires, json } = options;
  const expiresAt = expires === undefined ? null : parseDay(expires);
  const { key, record } = await createKey(keys, { owner, scopes: parseGivenScopes(wanted), expiresAt });
  if (json) return printJson({ key, ...record });
  note(`Key ${record.id} of ${record.owner} (${record.scopes.join(", ")}). It is shown only once:`);
  printLine(key);
}

async function revoke(keys: KeyRecords, id: string, { json }: KeyCommandOptions): Promise<void> {
  if (!(await revokeKey(keys, id)))
    throw new CliError(`there is no key ${quoted(id)} (rehearsal keys list shows the ids)`);
  if (json) printJson({ revoked: id });
  else printLine(`revoked ${id}`);
}

/** For services that read their keys from the environment, such as containers. The entry holds only the hash. */
function printEntry(owner: string, { scopes: wanted, json }: KeyCommandOptions): void {
  const { key, sha256 } = generateKey();
  const entry = `${owner}:${sha256}:${parseGivenScopes(wanted).join("+")}`;
  parseApiKeys(entry);
  if (json) return printJson({ key, entry });
  printLine(`key                 ${key}`);
  printLine(`REHEARSAL_API_KEYS  ${entry}`);
}

function parseGivenScopes(names: readonly string[] = ["evaluate", "runs:read"]): Scope[] {
  return names.map((name) => {
    const scope = scopes.find((candidate) => candidate === name);
    if (scope === undefined) throw new CliError(`--scopes holds "${name}": use ${scopes.join(", ")}`);
    return scope;
  });
}

function parseDay(text: string): Date {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const day = new Date(isDay ? `${text}T23:59:59Z` : text);
  const written = Number.isNaN(day.getTime()) ? "" : day.toISOString();
  // Date accepts 31 February as a day in March, and years with five digits, which the key file cannot hold.
  if (!/^\d{4}-/.test(written) || (isDay && !written.startsWith(text)))
    throw new CliError(`--expires is "${text}": use a day like 2027-12-31`);
  if (day.getTime() <= Date.now()) throw new CliError(`--expires is ${text}, which is in the past`);
  return day;
}

function printKeys(found: readonly ListedKey[], { json }: KeyCommandOptions): void {
  if (json) return printJson({ keys: found });
  if (found.length === 0) return note("No keys. Create one with: rehearsal keys create NAME");
  const rows = found.map(({ id, owner, scopes: own, created_at, expires_at, revoked_at, last_used_at }) => [
    id,
    owner,
    own.join("+"),
    created_at.slice(0, 10),
    revoked_at ? "revoked" : (expires_at?.slice(0, 10) ?? "–"),
    last_used_at?.slice(0, 16).replace("T", " ") ?? "–",
  ]);
  const titles = ["ID", "OWNER", "SCOPES", "CREATED", "ENDS", "LAST USED"];
  printLine(
    table(
      titles.map((title) => ({ title })),
      rows,
      outputWidth(),
    ),
  );
}
