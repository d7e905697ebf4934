import { bindCredential, type CredentialBinding } from "../../models/credentials.ts";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import type { HostPort } from "../../models/outbound/endpoint-policy.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import type { Settings } from "../../settings.ts";

/** The two outbound clients: one for endpoints under test, one for the agent's own providers. They share no connection. */
export interface Clients {
  readonly evaluation: Outbound;
  readonly agent: Outbound;
}

export function createClients(settings: Settings, isOwnAddress: (address: HostPort) => boolean): Clients {
  const { upstream, breaker, endpointPolicy, credentials } = settings;
  const providers = providerCredentials(settings);
  const common = {
    isOwnAddress,
    timeouts: {
      connectMs: upstream.connectTimeoutMs,
      firstByteMs: upstream.firstByteTimeoutMs,
      idleMs: upstream.idleTimeoutMs,
      totalMs: upstream.totalTimeoutMs,
    },
    maxReplyBytes: upstream.maxReplyBytes,
    retry: {
      maximum: upstream.retries,
      baseMs: upstream.retryBaseMs,
      capMs: upstream.retryCapMs,
      retryAfterMaxMs: upstream.retryAfterMaxMs,
    },
    retryBudget: { ratio: upstream.retryBudget },
    breaker,
  };
  return {
    evaluation: createOutbound({
      ...common,
      credentials: withoutRepeats([...credentials, ...providers]),
      policy: endpointPolicy.mode,
      allow: endpointPolicy.allow,
    }),
    agent: createOutbound({ ...common, credentials: withoutRepeats([...providers, ...credentials]) }),
  };
}

function providerCredentials({ hub, studio }: Settings): CredentialBinding[] {
  return [hub, studio].flatMap((provider) =>
    provider?.apiKey && provider.baseUrl !== null
      ? [bindCredential({ url: provider.baseUrl, secret: provider.apiKey })]
      : [],
  );
}

/** One credential per origin: the first. */
function withoutRepeats(bindings: readonly CredentialBinding[]): CredentialBinding[] {
  return [...new Map(bindings.toReversed().map((binding) => [binding.origin, binding])).values()];
}
