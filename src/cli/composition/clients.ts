import { compact } from "../../base/compact.ts";
import type { Secret } from "../../base/secret.ts";
import { truncateText } from "../../base/text.ts";
import { ServiceError } from "../../contract/errors/errors.ts";
import type { RunPolicy } from "../../contract/schemas/shared/endpoint-policy.ts";
import { protocols } from "../../contract/protocols/protocols.ts";
import type { ModelProtocol } from "../../contract/schemas/evaluation-request.ts";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import { bindCredential, type CredentialBinding } from "../../models/outbound/credentials.ts";
import type { HostPort } from "../../models/outbound/endpoint-policy.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import type { HubProvider } from "../../models/routing/hub-providers.ts";
import { scrub } from "../../services/http/environment/scrub.ts";
import type { Settings } from "../../settings.ts";
import { wellKnownKeys } from "../../settings/credentials.ts";

/** The outbound clients. They share no connections. */
export interface Clients extends AsyncDisposable {
  /** Calls endpoints under test. */
  readonly evaluation: Outbound;
  /** Calls the agent's providers. */
  readonly agent: Outbound;
  /** Calls on behalf of tools. It has no credentials, because a model chooses the addresses. */
  readonly tools: Outbound;
  /** Calls test worlds at origins that the operator allows, also those of this process. It has no credentials. */
  readonly worlds: Outbound;
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
    worlds: createOutbound({ ...common, isOwnAddress: () => false }),
  };
  return {
    ...clients,
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(clients).map((client) => client.close()));
    },
  };
}

/** The keys of the configured providers, for calls that bring no key, such as those to an endpoint under test. */
function providerCredentials(
  { hub, studio, judge, labeller, simulator, embeddings }: Settings,
  hubProviders: readonly HubProvider[],
): CredentialBinding[] {
  const helpers = [judge, labeller, simulator, embeddings].map(
    (helper) => helper && { ...helper, baseUrl: helper.endpoint },
  );
  return [hub, studio, ...hubProviders, ...helpers].flatMap((provider) => {
    const credential = provider && providerCredential(provider);
    return credential ? [credential] : [];
  });
}

/** Names the setting that holds the key of an origin, for errors about a missing key. EVAL_CREDENTIALS accepts any address. */
export function keyVariables(
  { hub, studio, judge, labeller, simulator, embeddings }: Settings,
  hubProviders: readonly HubProvider[],
): (address: string) => string {
  const places: readonly (readonly [url: string | null | undefined, name: string])[] = [
    [hub?.baseUrl, "HUB_API_KEY"],
    [studio?.baseUrl, "STUDIO_API_KEY"],
    ...hubProviders.map(({ name, baseUrl }) => [baseUrl, `key_env of "${name}" in HUB_PROVIDERS`] as const),
    [judge?.endpoint, "JUDGE_API_KEY"],
    [labeller?.endpoint, "LABELLER_API_KEY"],
    [simulator?.endpoint, "SIMULATOR_API_KEY"],
    [embeddings?.endpoint, "EMBEDDINGS_API_KEY"],
    ...wellKnownKeys.flatMap(({ name, addresses }) => addresses.map((address) => [address, name] as const)),
  ];
  const known = places.flatMap(([url, name]) => (url ? [[new URL(url).origin, name] as const] : []));
  // The first entry of an origin wins, as with the keys.
  const names = new Map(known.toReversed());
  return (address) => names.get(address) ?? `EVAL_CREDENTIALS=${address}=NAME_OF_A_VARIABLE`;
}

/** A provider of models and its key. */
export interface KeyedProvider {
  readonly baseUrl: string | null;
  readonly apiKey: Secret | null;
  /** Default: openai-chat. */
  readonly protocol?: ModelProtocol;
}

/** A provider's key in the header of its protocol, bound to its address; undefined without a key. */
export function providerCredential({
  baseUrl,
  apiKey,
  protocol = "openai-chat",
}: KeyedProvider): CredentialBinding | undefined {
  if (baseUrl === null || apiKey === null) return undefined;
  return bindCredential({ url: baseUrl, secret: apiKey, protocol, header: protocols[protocol].keyHeader });
}

/** Refuses endpoints that the policy forbids, before a run is stored. */
export function endpointChecker(
  outbound: Outbound,
): (planned: { pointer: string; endpoint: string }, runPolicy?: RunPolicy | null) => void {
  return ({ pointer, endpoint }, runPolicy) => {
    const check = outbound.checkEndpoint(endpoint, { runPolicy });
    if (check.ok) return;
    const isForbidden = check.code === "endpoint_not_allowed" && check.reason === "address";
    throw new ServiceError(
      check.code,
      check.detail,
      compact({
        hint: isForbidden ? "Use another endpoint: EVAL_ENDPOINT_ALLOW cannot allow this address." : undefined,
        errors: [{ pointer, code: check.code, message: check.detail, received: describeEndpoint(endpoint) }],
      }),
    );
  };
}

/** Shortens an endpoint for an error. The text before an @ may be a password and is not repeated. */
function describeEndpoint(endpoint: string): string {
  const withoutUser = endpoint.replace(/^([a-z][a-z+.-]*:\/\/)?.*@/is, "$1[redacted]@");
  return truncateText(scrub(withoutUser), 80);
}
