import { listProviderModels } from "../../models/adapters/list-models.ts";
import { detectLocalServers } from "../../models/local-servers/detect-local-servers.ts";
import type { Outbound } from "../../models/outbound/outbound.ts";
import type { HubProvider } from "../../models/routing/hub-providers.ts";
import type { Settings } from "../../settings.ts";
import { providerCredential, type KeyedProvider } from "../parts/provider-credential.ts";
import { counted } from "../terminal/figures.ts";
import { attempt, notice, ok, problem, type Check } from "./check.ts";

/** The providers that are set, and model servers found on this machine. Only addresses of the operator's choice are called. */
export async function checkModels(
  settings: Settings,
  { hubProviders, outbound }: { hubProviders: readonly HubProvider[]; outbound: Outbound },
): Promise<readonly Check[]> {
  const signal = AbortSignal.timeout(10_000);
  const { hub, studio, server } = settings;
  const named = [
    ...(hub ? [{ name: "hub", ...hub }] : []),
    ...hubProviders.map((provider) => ({ ...provider, name: `hub ${provider.name}` })),
    ...(studio ? [{ name: "studio", ...studio }] : []),
  ];
  const checks = await Promise.all([
    ...named.map((provider) => attempt(provider.name, () => checkProvider(provider, { outbound, signal }))),
    attempt("local servers", () =>
      checkLocalServers({ outbound, signal, ownPorts: [server.agentPort, server.evalPort] }),
    ),
  ]);
  const demo = settings.demo ? [notice("demo models", "on: they follow a script and are not language models")] : [];
  return [...demo, ...checks.flat()];
}

async function checkProvider(
  { name, ...provider }: KeyedProvider & { readonly name: string },
  { outbound, signal }: { outbound: Outbound; signal: AbortSignal },
): Promise<Check | readonly Check[]> {
  const { baseUrl, protocol = "openai-chat" } = provider;
  if (baseUrl === null) return [];
  const credential = providerCredential(provider);
  const list = await listProviderModels({ outbound, baseUrl, protocol, credential, signal, policy: "local" });
  // Without its query, which may hold a key.
  const [place] = baseUrl.split("?", 1);
  // Agents and some providers list no models, and serve those that are named.
  if (!list.ok && list.error.upstream_status === 404) {
    return notice(name, `${place} answers, but lists no models: check its path if they cannot be used`);
  }
  if (!list.ok) return problem(name, `${place}: ${list.error.detail}`);
  return ok(name, `${place} offers ${counted(list.models.length, "model")}`);
}

async function checkLocalServers(options: Parameters<typeof detectLocalServers>[0]): Promise<readonly Check[]> {
  const servers = await detectLocalServers({ ...options, policy: "local" });
  if (servers.length === 0) return [ok("local servers", "none found (Ollama, LM Studio, llama.cpp, vLLM)")];
  return servers.map(({ kind, base_url, models, needs_key }) => {
    const offer = needs_key ? "wants a key" : counted(models.length, "model");
    return notice(kind, `${base_url} (${offer}): use it with --endpoint ${base_url}`);
  });
}

/** Keys by the place they are sent to; never their values. */
export function checkCredentials(
  { credentials, hub, studio }: Settings,
  hubProviders: readonly HubProvider[],
): readonly Check[] {
  const places = [
    ...credentials.map(({ origin, path }) => origin + path),
    ...(hub?.apiKey ? ["the hub"] : []),
    ...hubProviders.flatMap(({ name, apiKey }) => (apiKey ? [`the hub ${name}`] : [])),
    ...(studio?.apiKey ? ["the studio"] : []),
  ];
  return [ok("keys", places.length === 0 ? "none set" : `set for ${[...new Set(places)].join(", ")}`)];
}
