import { lookup as systemLookup, Resolver } from "node:dns/promises";
import type { Resolve, ResolvedAddress } from "./connector.ts";
import { isLocalhostName } from "./endpoint-policy.ts";

type Addresses = readonly ResolvedAddress[];

interface NameLookupOptions {
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
/** A lookup that takes longer has waited for somebody who says nothing. */
const quickMs = 1000;

/**
 * Node looks names up in two threads, and a name whose servers are silent keeps one of them for many seconds: two such names
 * would keep every other from being found. So a name is looked up once at a time, whoever asks for it, and names whose servers
 * are silent take turns in one thread. They may still be found: a name need not be on any server.
 */
export function createNameLookups(options: NameLookupOptions): Resolve {
  const { lookup, isAnswered, now = () => performance.now() } = options;
  const underWay = new Map<string, UnderWay>();
  /** Names that were found quickly the last time. */
  const found = new Set<string>();
  let turn: Promise<void> = Promise.resolve();

  async function lookUp(hostname: string): Promise<Addresses> {
    const started = now();
    found.delete(hostname);
    const addresses = await lookup(hostname);
    if (now() - started < quickMs) found.add(hostname);
    const [oldest] = found.size > maximumFound ? found : [];
    if (oldest !== undefined) found.delete(oldest);
    return addresses;
  }

  async function inTurn(hostname: string): Promise<Addresses> {
    const before = turn;
    const own = Promise.withResolvers<void>();
    turn = own.promise;
    await before;
    try {
      if (now() < (underWay.get(hostname)?.until ?? 0)) return await lookUp(hostname);
      throw Object.assign(new Error("Nobody waits for this name any more"), { code: "ETIMEDOUT" });
    } finally {
      own.resolve();
    }
  }

  async function find(hostname: string): Promise<Addresses> {
    const mayTakeThread = found.has(hostname) || isLocalhostName(hostname) || (await isAnswered(hostname));
    return mayTakeThread ? lookUp(hostname) : inTurn(hostname);
  }

  return (hostname, { waitMs }) => {
    const until = now() + waitMs;
    const known = underWay.get(hostname);
    if (known) {
      known.until = Math.max(known.until, until);
      return known.addresses;
    }
    const addresses = find(hostname).finally(() => underWay.delete(hostname));
    underWay.set(hostname, { addresses, until });
    return addresses;
  };
}

const probe = { timeout: 1000, tries: 1 };

/** Asks for both kinds of addresses, as a lookup does: some servers say nothing when they are asked for the newer kind. */
async function isSystemAnswered(hostname: string): Promise<boolean> {
  const resolver = new Resolver(probe);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return answers.every((answer) => answer.status === "fulfilled" || !isSilence(answer.reason));
}

const isSilence = (error: NodeJS.ErrnoException) => error.code === "ETIMEOUT";

/** Shared by all clients of this process, as the threads are. */
export const systemResolve: Resolve = createNameLookups({
  lookup: (hostname) => systemLookup(hostname, { all: true }),
  isAnswered: isSystemAnswered,
});
