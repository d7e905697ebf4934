import { isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector } from "undici";
import { addressRefusal, literalRefusal, type EndpointPolicy } from "./endpoint-policy.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Turns a host name into addresses. Handed in, so that tests need no real DNS. */
export type Resolve = (
  hostname: string,
  options: {
    /** After this time nobody waits for the answer any more. */
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
 * Opens sockets for one origin and checks the very address it connects to: a literal one before connecting
 * (Node asks no lookup hook for those), a resolved one between DNS and connect, so a name cannot be rebound in between.
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
 * Some servers and gateways say "100 Continue" before their answer although nobody asked for it, as HTTP allows. Undici takes that
 * for a broken answer; a "102 Processing", which tells as little, it passes over. So the one is read as the other.
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

/** True when the answer itself is still to come. */
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
