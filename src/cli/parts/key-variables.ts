import type { HubProvider } from "../../models/routing/hub-providers.ts";
import type { Settings } from "../../settings.ts";
import { wellKnownKeys } from "../../settings/credentials.ts";

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
