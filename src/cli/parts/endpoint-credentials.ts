import type { Protocol } from "../../contract/evaluation-request.ts";
import type { CredentialBinding } from "../../models/credentials.ts";
import type { HubProvider } from "../../models/routing/hub-providers.ts";
import type { Settings } from "../../settings.ts";
import { providerCredential, type KeyedProvider } from "./provider-credential.ts";

interface TestedEndpoint {
  readonly endpoint: string;
  readonly protocol: Protocol;
}

/**
 * The key for an endpoint under test that one of the agent's providers serves, where several share an origin: that of the
 * provider with its protocol, and with the longest address it begins with. A key that was bound to the origin outranks it.
 */
export function endpointCredentials(
  { credentials, hub, studio }: Pick<Settings, "credentials" | "hub" | "studio">,
  hubProviders: readonly HubProvider[],
): (tested: TestedEndpoint) => CredentialBinding | undefined {
  const bound = new Set(credentials.map(({ origin }) => origin));
  const candidates: readonly (KeyedProvider | null)[] = [hub, studio, ...hubProviders];
  const providers = candidates.flatMap((provider) => {
    const credential = provider && providerCredential(provider);
    if (!provider?.baseUrl || !credential) return [];
    return [{ baseUrl: provider.baseUrl, protocol: provider.protocol ?? "openai-chat", credential }];
  });

  return ({ endpoint, protocol }) => {
    const origin = URL.parse(endpoint)?.origin;
    if (origin === undefined || bound.has(origin)) return undefined;
    const alike = providers.filter(
      (provider) => provider.credential.origin === origin && provider.protocol === protocol,
    );
    const nearest = alike
      .filter(({ baseUrl }) => endpoint.startsWith(baseUrl))
      .toSorted((left, right) => right.baseUrl.length - left.baseUrl.length);
    return (nearest[0] ?? alike[0])?.credential;
  };
}
