import type { HubProvider } from "../../models/routing/hub-providers.ts";
import type { ConfiguredProvider } from "../../services/agent/observers/provider-health.ts";
import type { Settings } from "../../settings.ts";

/** Everyone who serves models to the agent, by the name the page shows. */
export function configuredProviders(
  { hub, studio, demo }: Pick<Settings, "hub" | "studio" | "demo">,
  hubProviders: readonly HubProvider[],
): readonly ConfiguredProvider[] {
  const hubs = [...(hub ? [{ name: "hub", baseUrl: hub.baseUrl }] : []), ...hubProviders];
  return [
    ...hubs.map(({ name, baseUrl }): ConfiguredProvider => ({ name, kind: "hub", origin: new URL(baseUrl).origin })),
    ...(studio ? [{ name: "fine-tuned", kind: "fine-tuned" as const, origin: originOf(studio.baseUrl) }] : []),
    ...(demo ? [{ name: "demo", kind: "demo" as const, origin: null }] : []),
  ];
}

function originOf(baseUrl: string | null): string | null {
  return baseUrl === null ? null : new URL(baseUrl).origin;
}
