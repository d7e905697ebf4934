import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

const bootFile = "/proc/sys/kernel/random/boot_id";
const namespaceLink = "/proc/self/ns/pid";

export interface HostReaders {
  readonly hostname: () => string;
  readonly readFile: (path: string) => string;
  readonly readLink: (path: string) => string;
}

const system: HostReaders = {
  hostname,
  readFile: (path) => readFileSync(path, "utf8"),
  readLink: (path) => readlinkSync(path),
};

/**
 * Names where process ids mean what they mean here. A host name does not: containers on the host's network share it, and so do
 * machines made from one image. Where the system tells neither its start nor its process namespace, the name has to do.
 */
export function thisHost({ hostname: name, readFile, readLink }: HostReaders = system): string {
  const boot = orNothing(() => readFile(bootFile).trim());
  const namespace = orNothing(() => /\d+/.exec(readLink(namespaceLink))?.[0]);
  return [name(), boot, namespace].filter((part) => part !== undefined && part !== "").join("/");
}

function orNothing<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
