import type { UpstreamProvider } from "../../../contract/schemas/models.ts";
import type { Reply } from "../../../contract/ports/chat-model.ts";
import type { TurnObserver } from "../turns/turn.ts";

/** A provider as the operator has set it up. */
export type ConfiguredProvider = Pick<UpstreamProvider, "name" | "kind" | "origin">;

export interface ProviderHealth {
  readonly observe: TurnObserver;
  list(): readonly UpstreamProvider[];
}

/** Remembers how calls of the agent went, provider by provider. Nobody is called to find out. */
export function createProviderHealth(
  configured: readonly ConfiguredProvider[],
  { now = Date.now }: { now?: () => number } = {},
): ProviderHealth {
  const providers = new Map(configured.map((provider) => [provider.name, { ...provider, ...untried }]));

  /** Hubs are told apart by what stands before the slash; what has no hub of its own goes to the one that takes all. */
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
        // A call that was cut off by the time of the run says nothing about its provider.
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
