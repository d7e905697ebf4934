import type { CredentialBinding } from "../../models/outbound/credentials.ts";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import type { HostPort } from "../../models/outbound/endpoint-policy.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import type { HubProvider } from "../../models/routing/hub-providers.ts";
import type { Settings } from "../../settings.ts";
import { wellKnownKeys } from "../../settings/credentials.ts";
import { providerCredential } from "./provider-credential.ts";

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
    isAgentAddress = () => false,
    isOpenedHere = () => false,
    hubProviders,
  }: {
    isOwnAddress: (address: HostPort) => boolean;
    isAgentAddress?: ((address: HostPort) => boolean) | undefined;
    isOpenedHere?: ((address: HostPort) => boolean) | undefined;
    hubProviders: readonly HubProvider[];
  },
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
      isOpenedHere,
      keyVariable,
      credentials: [...credentials, ...providers],
      policy: endpointPolicy.mode,
      allow: endpointPolicy.allow,
    }),
    agent: createOutbound({
      ...common,
      isOwnAddress: (address) => isOwnAddress(address) || isAgentAddress(address),
      keyVariable,
      credentials: [...providers, ...credentials],
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

/** For whoever is asked without a key of their own, such as an endpoint under test: by its address. */
function providerCredentials(
  { hub, studio, judge, labeller, embeddings }: Settings,
  hubProviders: readonly HubProvider[],
): CredentialBinding[] {
  const helpers = [judge, labeller, embeddings].map((helper) => helper && { ...helper, baseUrl: helper.endpoint });
  return [hub, studio, ...hubProviders, ...helpers].flatMap((provider) => {
    const credential = provider && providerCredential(provider);
    return credential ? [credential] : [];
  });
}

/** Names the setting that gives an origin a key: its own variable where it has one, else the list, which takes any address. */
export function keyVariables(
  { hub, studio, judge, labeller, embeddings }: Settings,
  hubProviders: readonly HubProvider[],
): (address: string) => string {
  const places: readonly (readonly [url: string | null | undefined, name: string])[] = [
    [hub?.baseUrl, "HUB_API_KEY"],
    [studio?.baseUrl, "STUDIO_API_KEY"],
    ...hubProviders.map(({ name, baseUrl }) => [baseUrl, `key_env of "${name}" in HUB_PROVIDERS`] as const),
    [judge?.endpoint, "JUDGE_API_KEY"],
    [labeller?.endpoint, "LABELLER_API_KEY"],
    [embeddings?.endpoint, "EMBEDDINGS_API_KEY"],
    ...wellKnownKeys.flatMap(({ name, addresses }) => addresses.map((address) => [address, name] as const)),
  ];
  const known = places.flatMap(([url, name]) => (url ? [[new URL(url).origin, name] as const] : []));
  // The first that names an origin counts, as it does for the keys.
  const names = new Map(known.toReversed());
  return (address) => names.get(address) ?? `EVAL_CREDENTIALS=${address}=NAME_OF_A_VARIABLE`;
}
