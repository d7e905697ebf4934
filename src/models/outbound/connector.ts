import { lookup as systemLookup, Resolver } from "node:dns/promises";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector } from "undici";
import { addressRefusal, isLocalhostName, literalRefusal, type EndpointPolicy } from "./endpoint-policy.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name. Injectable, so that tests need no real DNS. */
export type Resolve = (
  hostname: string,
  options: {
    /** The caller gives up after this time. */
    readonly waitMs: number;
  },
) => Promise<readonly ResolvedAddress[]>;

export interface ConnectorOptions {
  readonly policy: EndpointPolicy;
  readonly port: number;
  readonly resolve: Resolve;
  readonly connectTimeoutMs: number;
}

/** Thrown inside the connector; never reaches a caller. */
class AddressRefused extends Error {
  readonly code = "ERR_ADDRESS_REFUSED";
}

/**
 * Opens sockets for one origin and checks the address that is connected to: a literal one before connecting (Node calls
 * no lookup hook for it), a resolved one between DNS and connect, so that a name cannot be rebound in between.
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { policy, port, connectTimeoutMs } = options;
  const connect = buildConnector({
    allowH2: false,
    timeout: connectTimeoutMs,
    autoSelectFamily: true,
    lookup: guardedLookup(options),
    port,
  });
  return (target, callback) => {
    const refusal = isIP(target.hostname) ? literalRefusal({ host: target.hostname, port }, policy) : null;
    if (refusal) callback(new AddressRefused(refusal), null);
    else
      connect(target, (...[error, socket]) => {
        if (error) callback(error, null);
        else callback(null, passOverContinue(socket));
      });
  };
}

function guardedLookup({ policy, port, resolve, connectTimeoutMs }: ConnectorOptions): LookupFunction {
  async function resolveChecked(hostname: string): Promise<readonly ResolvedAddress[]> {
    const addresses = await resolve(hostname, { waitMs: connectTimeoutMs });
    for (const { address } of addresses) {
      const refusal = addressRefusal({ host: address, port }, policy);
      if (refusal) throw new AddressRefused(refusal);
    }
    return addresses;
  }

  return (hostname, options, callback) => {
    resolveChecked(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(Object.assign(new Error("No address"), { code: "ENOTFOUND" }), "");
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}

const interim = /^HTTP\/1\.[01] 1\d\d/;
const lastDigit = "HTTP/1.1 10".length;
const endOfHead = "\r\n\r\n";

/**
 * Some servers and gateways send "100 Continue" unasked before their answer, as HTTP allows. Undici treats that as a broken
 * answer but skips "102 Processing", so the first is rewritten to the second.
 */
function passOverContinue<S extends Pick<Socket, "read" | "write">>(socket: S): S {
  const read = socket.read.bind(socket);
  const write = socket.write.bind(socket) as (...parts: unknown[]) => boolean;
  let isAnswerDue = true;
  socket.write = (...parts: unknown[]) => {
    isAnswerDue = true;
    return write(...parts);
  };
  socket.read = (size) => {
    const chunk: Buffer | null = read(size);
    if (isAnswerDue && chunk !== null) isAnswerDue = rewriteContinue(chunk);
    return chunk;
  };
  return socket;
}

/** True when the final answer has not begun yet. */
function rewriteContinue(chunk: Buffer): boolean {
  let start = 0;
  while (interim.test(chunk.toString("latin1", start, start + lastDigit + 1))) {
    if (chunk.toString("latin1", start + lastDigit - 1, start + lastDigit + 1) === "00")
      chunk.write("2", start + lastDigit);
    const end = chunk.indexOf(endOfHead, start);
    start = end === -1 ? chunk.length : end + endOfHead.length;
  }
  return start === chunk.length;
}

type Addresses = readonly ResolvedAddress[];

interface NameLookupOptions {
  /** Occupies one of Node's few lookup threads until it is answered or times out. */
  readonly lookup: (hostname: string) => Promise<Addresses>;
  /** True when the name's DNS servers answer at all, even that the name does not exist. Occupies no thread. */
  readonly isAnswered: (hostname: string) => Promise<boolean>;
  readonly now?: () => number;
}

interface UnderWay {
  readonly addresses: Promise<Addresses>;
  /** When the last waiting caller gives up. */
  until: number;
}

const maximumFound = 1000;
/** A slower lookup has waited for a silent DNS server. */
const quickMs = 1000;

/**
 * Node resolves names in two threads, and a name whose servers are silent blocks one for many seconds: two such names would
 * block all others. So concurrent lookups of one name are coalesced, and names whose servers are silent take turns in one
 * thread. They may still be found, because a name need not be on a DNS server.
 */
export function createNameLookups(options: NameLookupOptions): Resolve {
  const { lookup, isAnswered, now = () => performance.now() } = options;
  const underWay = new Map<string, UnderWay>();
  /** Names whose last lookup was quick. */
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
      throw Object.assign(new Error("All callers have given up on this name"), { code: "ETIMEDOUT" });
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

/** Asks for IPv4 and IPv6 addresses, as a lookup does: some servers do not answer for IPv6. */
async function isSystemAnswered(hostname: string): Promise<boolean> {
  const resolver = new Resolver(probe);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return answers.every((answer) => answer.status === "fulfilled" || !isSilence(answer.reason));
}

const isSilence = (error: NodeJS.ErrnoException) => error.code === "ETIMEOUT";

/** Shared by all clients of this process, like the lookup threads. */
export const systemResolve: Resolve = createNameLookups({
  lookup: (hostname) => systemLookup(hostname, { all: true }),
  isAnswered: isSystemAnswered,
});
