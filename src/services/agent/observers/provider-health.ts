import type { UpstreamProvider } from "../../../contract/schemas/agent/models.ts";
import type { Reply } from "../../../contract/ports/chat-model.ts";
import type { TurnObserver } from "../turns/turn.ts";

/** A provider as the operator has configured it. */
export type ConfiguredProvider = Pick<UpstreamProvider, "name" | "kind" | "origin">;

export interface ProviderHealth {
  readonly observe: TurnObserver;
  list(): readonly UpstreamProvider[];
}

/** Records the result of the agent's calls for each provider. It makes no calls of its own. */
export function createProviderHealth(
  configured: readonly ConfiguredProvider[],
  { now = Date.now }: { now?: () => number } = {},
): ProviderHealth {
  const providers = new Map(configured.map((provider) => [provider.name, { ...provider, ...untried }]));

  /** The prefix before the slash selects a hub; ids without a hub of their own belong to the default one. */
  function find(kind: string, resolved: string): UpstreamProvider | undefined {
    const [prefix = ""] = resolved.split("/", 1);
    return (kind === "hub" ? providers.get(prefix) : undefined) ?? providers.get(kind);
  }

  function note(provider: UpstreamProvider | undefined, reply: Reply): void {
    if (!provider) return;
    const at = now();
    provider.calls += 1;
    provider.last_call_at = at;
    provider.health = reply.ok ? "ok" : "failing";
    if (reply.ok) return;
    const { code, detail } = reply.error;
    provider.failures += 1;
    provider.last_error = { code, detail, at };
  }

  return {
    observe: (facts) => ({
      onEvent(event) {
        // A call that the run's deadline interrupted says nothing about its provider.
        if (event.type !== "model-end" || event.reply === null) return;
        note(find(facts.provider(), facts.resolved()), event.reply);
      },
      onPassedOver({ route: { provider, resolved }, reply }) {
        note(find(provider, resolved), reply);
      },
      onEnd() {},
    }),
    list: () => [...providers.values()].map((provider) => ({ ...provider })),
  };
}

const untried: Omit<UpstreamProvider, keyof ConfiguredProvider> = {
  health: "unknown",
  calls: 0,
  failures: 0,
  last_call_at: null,
  last_error: null,
};
