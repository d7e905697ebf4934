import { CircleAlert, CircleCheck, CircleDashed, CirclePause, type LucideIcon } from "lucide-react";
import type { AgentUpstreams, UpstreamBreaker, UpstreamProvider } from "../../src/contract/schemas/agent/models.ts";
import { errorText } from "../api/api-error.ts";
import { formatCount, formatDuration } from "../parts/text/format.ts";
import { TimeAgo } from "../parts/text/time.tsx";

type ProviderBadge = UpstreamProvider["health"] | "paused";

const looks: Record<ProviderBadge, { icon: LucideIcon; label: string; className: string }> = {
  ok: { icon: CircleCheck, label: "Online", className: "text-good" },
  failing: { icon: CircleAlert, label: "Failing", className: "text-bad" },
  unknown: { icon: CircleDashed, label: "Not called yet", className: "text-soft" },
  paused: { icon: CirclePause, label: "Paused", className: "text-warn" },
};

const kinds: Record<UpstreamProvider["kind"], string> = {
  hub: "models by provider/name",
  "fine-tuned": "models by UUID",
  demo: "scripted",
};

/** The configured providers with their health and open circuit breakers. */
export function ProviderList({ providers = [], breakers: all }: Pick<AgentUpstreams, "providers" | "breakers">) {
  // A closed breaker adds nothing to the health.
  const breakers = all.filter(({ state }) => state !== "closed");
  const known = new Set(providers.map(({ origin }) => origin));
  // Aliases and judges may call origins that are not configured as providers.
  const elsewhere = Map.groupBy(
    breakers.filter(({ origin }) => !known.has(origin)),
    ({ origin }) => origin,
  );
  if (providers.length + elsewhere.size === 0) {
    return <p className="panel p-4 text-sm text-soft">No provider has been called yet.</p>;
  }
  return (
    <ul aria-label="Providers" className="grid grid-cols-[minmax(0,1fr)] gap-3 md:grid-cols-2 xl:grid-cols-3">
      {providers.map((provider) => (
        <ProviderCard
          key={provider.name}
          provider={provider}
          breakers={breakers.filter(({ origin }) => origin === provider.origin)}
        />
      ))}
      {[...elsewhere].map(([origin, held]) => (
        <li key={origin} className="panel grid grid-cols-[minmax(0,1fr)] content-start gap-1 p-4">
          <span className="mono font-semibold break-all">{origin}</span>
          <BreakerLines breakers={held} />
        </li>
      ))}
    </ul>
  );
}

function ProviderCard({ provider, breakers }: { provider: UpstreamProvider; breakers: readonly UpstreamBreaker[] }) {
  // A breaker with a key pauses only that model.
  const isPaused = breakers.some(({ key, state }) => key === "" && state === "open");
  const { icon: Icon, label, className } = looks[isPaused ? "paused" : provider.health];
  return (
    <li className="panel grid grid-cols-[minmax(0,1fr)] content-start gap-1 p-4">
      <span className="flex flex-wrap items-center gap-x-3">
        <span className="verbatim font-semibold">{provider.name}</span>
        <span className="text-sm text-soft">{kinds[provider.kind]}</span>
        <span className={`ml-auto inline-flex items-center gap-1 text-sm font-medium ${className}`}>
          <Icon aria-hidden size={14} /> {label}
        </span>
      </span>
      <span className="mono break-all text-soft">{provider.origin ?? "built in"}</span>
      {provider.calls > 0 && (
        <span className="text-sm text-soft tabular-nums">
          {formatCount(provider.calls, "call")}
          {provider.failures > 0 && `, ${formatCount(provider.failures, "failure")}`}
          {provider.last_call_at !== null && (
            <>
              , last <TimeAgo iso={new Date(provider.last_call_at).toISOString()} />
            </>
          )}
        </span>
      )}
      {provider.last_error && provider.health === "failing" && (
        <span className="verbatim text-sm">
          <span className="font-medium text-bad">{errorText(provider.last_error.code).title}: </span>
          {provider.last_error.detail}
        </span>
      )}
      <BreakerLines breakers={breakers} />
    </li>
  );
}

const breakerStates: Readonly<Record<string, string>> = {
  open: "paused",
  "half-open": "retrying",
};

function BreakerLines({ breakers }: { breakers: readonly UpstreamBreaker[] }) {
  return breakers.map((breaker) => (
    <span key={breaker.key} className="verbatim text-sm">
      <span className="font-medium">{breaker.key || "all models"}</span>{" "}
      <span className="font-medium text-warn">{breakerStates[breaker.state] ?? breaker.state}</span>
      <span className="text-soft">
        : {formatCount(breaker.failures, "failure")} in {formatCount(breaker.calls, "call")}
        {breaker.retry_after_ms > 0 && `, retries in ${formatDuration(breaker.retry_after_ms)}`}
      </span>
    </span>
  ));
}
