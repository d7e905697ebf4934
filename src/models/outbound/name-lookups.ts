import { lookup as systemLookup, Resolver } from "node:dns/promises";
import type { Resolve, ResolvedAddress } from "./connector.ts";
import { isLocalhostName } from "./endpoint-policy.ts";

type Addresses = readonly ResolvedAddress[];

export interface NameLookupOptions {
  /** Takes one of the few threads until it has an answer, or has waited long enough for one. */
  readonly lookup: (hostname: string) => Promise<Addresses>;
  /** Whether the servers of a name say anything about it, be it that there is no such name. Takes no thread. */
  readonly isAnswered: (hostname: string) => Promise<boolean>;
  readonly now?: () => number;
}

interface UnderWay {
  readonly addresses: Promise<Addresses>;
  /** When the last one who asked gives up. */
  until: number;
}

const maximumFound = 1000;

/**
 * Node looks names up in two threads, and a name whose servers are silent keeps one of them for many seconds: two such names
 * would keep every other from being found. So a name is looked up once at a time, whoever asks for it, and names whose servers
 * are silent take turns in one thread. They may still be found: a name need not be on any server.
 */
export function createNameLookups(options: NameLookupOptions): Resolve {
  const { lookup, isAnswered, now = () => performance.now() } = options;
  const underWay = new Map<string, UnderWay>();
  const found = new Set<string>();
  let turn: Promise<void> = Promise.resolve();

  async function inTurn(hostname: string): Promise<Addresses> {
    const before = turn;
    const own = Promise.withResolvers<void>();
    turn = own.promise;
    await before;
    try {
      if (now() < (underWay.get(hostname)?.until ?? 0)) return await lookup(hostname);
      throw Object.assign(new Error("Nobody waits for this name any more"), { code: "ETIMEDOUT" });
    } finally {
      own.resolve();
    }
  }

  async function find(hostname: string): Promise<Addresses> {
    const mayTakeThread = found.has(hostname) || isLocalhostName(hostname) || (await isAnswered(hostname));
    return mayTakeThread ? lookup(hostname) : inTurn(hostname);
  }

  function end(hostname: string, isFound: boolean): void {
    underWay.delete(hostname);
    found.delete(hostname);
    if (isFound) found.add(hostname);
    const [oldest] = found.size > maximumFound ? found : [];
    if (oldest !== undefined) found.delete(oldest);
  }

  return (hostname, { waitMs }) => {
    const until = now() + waitMs;
    const known = underWay.get(hostname);
    if (known) {
      known.until = Math.max(known.until, until);
      return known.addresses;
    }
    const addresses = find(hostname);
    underWay.set(hostname, { addresses, until });
    addresses.then(
      () => end(hostname, true),
      () => end(hostname, false),
    );
    return addresses;
  };
}

const isSystemAnswered = async (hostname: string): Promise<boolean> => {
  try {
    await new Resolver({ timeout: 1000, tries: 1 }).resolve4(hostname);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ETIMEOUT";
  }
};

/** Shared by all clients of this process, as the threads are. */
export const systemResolve: Resolve = createNameLookups({
  lookup: (hostname) => systemLookup(hostname, { all: true }),
  isAnswered: isSystemAnswered,
});
