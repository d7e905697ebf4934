import type { Protocol } from "../../contract/evaluation-request.ts";
import { bindCredential, type CredentialBinding } from "../../models/credentials.ts";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import type { HostPort } from "../../models/outbound/endpoint-policy.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import type { HubProvider } from "../../models/routing/hub-providers.ts";
import type { Settings } from "../../settings.ts";
import { keyVariables } from "./key-variables.ts";

/** The outbound clients. They share no connection. */
export interface Clients extends AsyncDisposable {
  /** Calls endpoints under test. */
  readonly evaluation: Outbound;
  /** Calls the agent's own providers. */
  readonly agent: Outbound;
  /** Calls for tools: it holds no credential, since a model chooses what is asked for. */
  readonly tools: Outbound;
}

export function createClients(
  settings: Settings,
  {
    isOwnAddress,
    hubProviders,
  }: { isOwnAddress: (address: HostPort) => boolean; hubProviders: readonly HubProvider[] },
): Clients {
  const { upstream, breaker, endpointPolicy, credentials } = settings;
  const providers = providerCredentials(settings, hubProviders);
  const keyVariable = keyVariables(settings, hubProviders);
  const common = {
    isOwnAddress,
    timeouts: {
      connectMs: upstream.connectTimeoutMs,
      firstByteMs: upstream.firstByteTimeoutMs,
      idleMs: upstream.idleTimeoutMs,
      totalMs: upstream.totalTimeoutMs,
    },
    maxReplyBytes: upstream.maxReplyBytes,
    maxEventBytes: upstream.maxEventBytes,
    retry: {
      maximum: upstream.retries,
      baseMs: upstream.retryBaseMs,
      capMs: upstream.retryCapMs,
      retryAfterMaxMs: upstream.retryAfterMaxMs,
    },
    retryBudget: { ratio: upstream.retryBudget },
    breaker,
  };
  const clients = {
    evaluation: createOutbound({
      ...common,
      keyVariable,
      credentials: withoutRepeats([...credentials, ...providers]),
      policy: endpointPolicy.mode,
      allow: endpointPolicy.allow,
    }),
    agent: createOutbound({
      ...common,
      keyVariable,
      credentials: withoutRepeats([...providers, ...credentials]),
    }),
    tools: createOutbound(common),
  };
  return {
    ...clients,
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(clients).map((client) => client.close()));
    },
  };
}

function providerCredentials(
  { hub, studio, judge, labeller, embeddings }: Settings,
  hubProviders: readonly HubProvider[],
): CredentialBinding[] {
  const hubs = [hub, studio].map((provider) => ({ url: provider?.baseUrl, secret: provider?.apiKey }));
  const named = hubProviders.map(({ baseUrl, apiKey, protocol }) => ({
    url: baseUrl,
    secret: apiKey,
    header: keyHeaders[protocol],
  }));
  const helpers = [judge, labeller, embeddings].map((helper) => ({ url: helper?.endpoint, secret: helper?.apiKey }));
  return [...hubs, ...named, ...helpers].flatMap(({ url, secret, ...rest }) =>
    url && secret ? [bindCredential({ url, secret, ...rest })] : [],
  );
}

/** Where a protocol wants its key, when that is not the authorization header. */
const keyHeaders: Partial<Record<Protocol, string>> = { "anthropic-messages": "x-api-key" };

/** One credential per origin: the first. */
function withoutRepeats(bindings: readonly CredentialBinding[]): CredentialBinding[] {
  return [...new Map(bindings.toReversed().map((binding) => [binding.origin, binding])).values()];
}
