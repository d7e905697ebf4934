import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { addressRefusal, literalRefusal, type EndpointPolicy } from "./endpoint-policy.ts";
import { passOverContinue } from "./pass-over-continue.ts";

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
