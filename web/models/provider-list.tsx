import { CircleAlert, CircleCheck, CircleDashed, CirclePause, type LucideIcon } from "lucide-react";
import type { AgentUpstreams, UpstreamBreaker, UpstreamProvider } from "../../src/contract/schemas/models.ts";
import { errorWords } from "../parts/error-words.ts";
import { formatCount, formatDuration } from "../parts/format.ts";
import { TimeAgo } from "../parts/time-ago.tsx";

type Health = UpstreamProvider["health"] | "held back";

const looks: Record<Health, { icon: LucideIcon; words: string; className: string }> = {
  ok: { icon: CircleCheck, words: "answers", className: "text-good" },
  failing: { icon: CircleAlert, words: "failing", className: "text-bad" },
  unknown: { icon: CircleDashed, words: "not called yet", className: "text-soft" },
  "held back": { icon: CirclePause, words: "calls are held back", className: "text-warn" },
};

/** What the name does not say by itself. */
const kinds: Record<UpstreamProvider["kind"], string> = {
  hub: "models by provider/name",
  "fine-tuned": "models by UUID",
  demo: "scripted",
};

/** Where models come from: every provider that is set up, whether it answers, and what is held back there. */
export function ProviderList({ providers = [], breakers: all }: Pick<AgentUpstreams, "providers" | "breakers">) {
  // A closed one lets every call through: it says nothing that the health does not.
  const breakers = all.filter(({ state }) => state !== "closed");
  const known = new Set(providers.map(({ origin }) => origin));
  // A breaker elsewhere (an alias, a judge) still wants to be seen.
  const elsewhere = Map.groupBy(
    breakers.filter(({ origin }) => !known.has(origin)),
    ({ origin }) => origin,
  );
  if (providers.length + elsewhere.size === 0) {
    return <p className="panel p-4 text-sm text-soft">No provider has been called yet, and none is failing.</p>;
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
  // One of a model holds back that model only.
  const isHeldBack = breakers.some(({ key, state }) => key === "" && state === "open");
  const { icon: Icon, words, className } = looks[isHeldBack ? "held back" : provider.health];
  return (
    <li className="panel grid grid-cols-[minmax(0,1fr)] content-start gap-1 p-4">
      <span className="flex flex-wrap items-center gap-x-3">
        <span className="verbatim font-semibold">{provider.name}</span>
        <span className="text-sm text-soft">{kinds[provider.kind]}</span>
        <span className={`ml-auto inline-flex items-center gap-1 text-sm font-medium ${className}`}>
          <Icon aria-hidden size={14} /> {words}
        </span>
      </span>
      <span className="mono break-all text-soft">{provider.origin ?? "in this process"}</span>
      {provider.calls > 0 && (
        <span className="text-sm text-soft tabular-nums">
          {formatCount(provider.calls, "call")}
          {provider.failures > 0 && `, ${formatCount(provider.failures, "failure")}`}
          {provider.last_call_at !== null && (
            <>
              , the last <TimeAgo iso={new Date(provider.last_call_at).toISOString()} />
            </>
          )}
        </span>
      )}
      {provider.last_error && provider.health === "failing" && (
        <span className="verbatim text-sm">
          <span className="font-medium text-bad">{errorWords(provider.last_error.code).title}: </span>
          {provider.last_error.detail}
        </span>
      )}
      <BreakerLines breakers={breakers} />
    </li>
  );
}

const states: Readonly<Record<string, string>> = {
  open: "calls are held back",
  "half-open": "being tried again",
};

function BreakerLines({ breakers }: { breakers: readonly UpstreamBreaker[] }) {
  return breakers.map((breaker) => (
    <span key={breaker.key} className="verbatim text-sm">
      <span className="font-medium">{breaker.key || "all models"}</span>{" "}
      <span className="font-medium text-warn">{states[breaker.state] ?? breaker.state}</span>
      <span className="text-soft">
        : {formatCount(breaker.failures, "failure")} in {formatCount(breaker.calls, "call")}
        {breaker.retry_after_ms > 0 && `, tried again in ${formatDuration(breaker.retry_after_ms)}`}
      </span>
    </span>
  ));
}
