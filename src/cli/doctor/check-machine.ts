import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Settings } from "../../settings.ts";
import { openStorage, storeFile } from "../parts/open-storage.ts";
import { portIsFree } from "../parts/port-is-free.ts";
import { hasStore } from "../sources/local-source.ts";
import { attempt, notice, ok, type Check } from "./check.ts";

/** Node, ports, the data folder and the store: what the services need before they can start. */
export async function checkMachine(settings: Settings): Promise<readonly Check[]> {
  const { server } = settings;
  const checks = await Promise.all([
    attempt("agent port", () => checkPort("agent port", server.host, server.agentPort)),
    attempt("evaluation port", () => checkPort("evaluation port", server.host, server.evalPort)),
    attempt("data folder", () => checkFolder(settings.dataDir)),
    attempt("store", () => checkStore(settings)),
  ]);
  return [ok("Node", process.version), ...checks.flat()];
}

async function checkPort(name: string, host: string, port: number): Promise<Check> {
  if (port === 0) return ok(name, "any free one");
  if (await portIsFree(host, port)) return ok(name, `${host}:${port} is free`);
  return notice(name, `${host}:${port} cannot be used now: is Rehearsal running there already?`);
}

async function checkFolder(folder: string): Promise<Check> {
  // The folder itself is made at the first start; until then its parent has to allow that.
  const existing = await access(folder).then(
    () => folder,
    () => dirname(resolve(folder)),
  );
  await access(existing, constants.W_OK);
  const { bavail, bsize } = await statfs(existing);
  const gigabytes = (Number(bavail) * Number(bsize)) / 1e9;
  const detail = `${folder} can be written, ${gigabytes.toFixed(1)} GB free`;
  return gigabytes < 0.5 ? notice("data folder", detail) : ok("data folder", detail);
}

/** Looks at a store that is there, and makes none: the first start does, in a folder that only its owner may look into. */
async function checkStore(settings: Settings): Promise<Check> {
  const file = storeFile(settings);
  if (!hasStore(settings)) return ok("store", `SQLite: ${file} is made at the first run`);
  await using storage = await openStorage(settings, { onError: () => {} });
  await storage.store.check();
  return ok("store", file === null ? "PostgreSQL answers" : `SQLite: ${file}`);
}

/** Proxies are not used by the outbound client, which people behind one will want to know. */
export function checkProxy(environment: NodeJS.ProcessEnv): readonly Check[] {
  const names = ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"].filter((name) => environment[name]);
  return names.length === 0 ? [] : [notice("proxy", `${names.join(", ")} is set; model calls do not go through it`)];
}
