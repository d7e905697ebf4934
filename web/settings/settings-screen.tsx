import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { apiKey, setApiKey } from "../api-key.ts";
import { agentUrl, pageConfig } from "../http.ts";
import { ApiKeyForm } from "../parts/api-key-form.tsx";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { formatValue } from "../parts/format.ts";
import { Screen } from "../parts/screen.tsx";
import { SegmentedChoice } from "../parts/segmented-choice.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { themeChoices } from "../theme.ts";
import { useTheme } from "../use-theme.ts";
import { SettingsPanel } from "./settings-panel.tsx";

export default function SettingsScreen() {
  const [theme, chooseTheme] = useTheme();
  const config = useQuery({ queryKey: ["config"], queryFn: pageConfig, staleTime: Infinity });
  return (
    <Screen title="Settings">
      <p className="flex gap-4 text-sm sm:hidden">
        <Link href="/models" className="link">
          Models
        </Link>
        <Link href="/compare" className="link">
          Compare two runs
        </Link>
      </p>
      <SettingsPanel title="Theme">
        <SegmentedChoice
          legend="Theme"
          segments={themeChoices.map((value) => ({ value, label: value }))}
          value={theme}
          onChange={chooseTheme}
        />
      </SettingsPanel>
      <SettingsPanel title="API key">
        <KeySettings />
      </SettingsPanel>
      {config.isPending && <Skeleton rows={4} label="Loading" />}
      {config.isError && <FailedNotice error={config.error} onRetry={() => void config.refetch()} />}
      {config.data && (
        <>
          <SettingsPanel title="Services">
            <ServiceList evaluation={config.data.evaluation} />
          </SettingsPanel>
          <LimitList config={config.data} />
          <SettingsPanel title="About">
            <p className="text-sm">
              Rehearsal {config.data.version}. Rehearse every conversation before your users have it.
            </p>
            <p className="text-sm text-soft">
              {config.data.demo
                ? "The built-in demo models are on: scripted answers, not a language model. They go as soon as a hub or studio is configured."
                : "The built-in demo models are off."}{" "}
              The page itself asks nobody but the two services.
            </p>
          </SettingsPanel>
        </>
      )}
    </Screen>
  );
}

function KeySettings() {
  const [known, setKnown] = useState(() => apiKey() !== null);
  return (
    <>
      <p className="text-sm text-soft">
        {known
          ? "A key is set for this tab. It is forgotten when the tab is closed."
          : "Needed only where the services ask for one. Keys of model providers stay in the services' environment."}
      </p>
      <ApiKeyForm onSaved={() => setKnown(apiKey() !== null)} />
      {known && (
        <button
          type="button"
          className="button justify-self-start"
          onClick={() => {
            setApiKey("");
            setKnown(false);
          }}
        >
          Forget the key
        </button>
      )}
    </>
  );
}

function ServiceList({ evaluation }: { evaluation: string }) {
  const services = [
    { name: "Agent backend", url: agentUrl("/") },
    { name: "Evaluation service", url: new URL("/", evaluation) },
  ];
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-6 gap-y-1.5 text-sm">
      {services.map(({ name, url }) => (
        <div key={name} className="contents">
          <dt className="text-soft">{name}</dt>
          <dd className="mono break-all">{url.origin}</dd>
          <dd>
            <a href={new URL("/docs", url).href} className="link">
              API docs
            </a>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Whatever limits the services tell, by name. */
function LimitList({ config }: { config: object }) {
  const limits = (config as { limits?: Readonly<Record<string, unknown>> }).limits;
  if (!limits || Object.keys(limits).length === 0) return null;
  return (
    <SettingsPanel title="Limits">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 text-sm">
        {Object.entries(limits).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name.replaceAll("_", " ")}</dt>
            <dd className="tabular-nums">{formatValue(value)}</dd>
          </div>
        ))}
      </dl>
    </SettingsPanel>
  );
}
