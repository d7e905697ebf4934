import { Link } from "wouter";
import { agentUrl } from "../http.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { Screen } from "../parts/screen.tsx";
import { SegmentedChoice } from "../parts/segmented-choice.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { usePageConfig } from "../parts/use-page-config.ts";
import { themeChoices } from "../theme.ts";
import { useTheme } from "../use-theme.ts";
import { KeySettings } from "./key-settings.tsx";
import { LimitList } from "./limit-list.tsx";
import { SettingsPanel } from "./settings-panel.tsx";

export default function SettingsScreen() {
  const [theme, chooseTheme] = useTheme();
  const config = usePageConfig();
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
      <SettingsPanel title="API keys">
        <KeySettings required={config.data?.keys_required} />
      </SettingsPanel>
      {config.isPending && <Skeleton rows={4} label="Loading" />}
      {config.isError && <FailedNotice error={config.error} onRetry={() => void config.refetch()} />}
      {config.data && (
        <>
          <SettingsPanel title="Services">
            <ServiceList evaluation={config.data.evaluation} />
          </SettingsPanel>
          {config.data.limits && config.data.limits.length > 0 && (
            <SettingsPanel title="Limits">
              <p className="text-sm text-soft">Set in the services' environment; they apply after a restart.</p>
              <LimitList limits={config.data.limits} />
            </SettingsPanel>
          )}
          <SettingsPanel title="About">
            <About version={config.data.version} demo={config.data.demo} />
          </SettingsPanel>
        </>
      )}
    </Screen>
  );
}

function ServiceList({ evaluation }: { evaluation: string }) {
  const services = [
    { name: "Agent backend", url: agentUrl("/") },
    { name: "Evaluation service", url: new URL("/", evaluation) },
  ];
  return (
    <dl className="grid gap-x-6 gap-y-1.5 text-sm sm:grid-cols-[auto_minmax(0,1fr)_auto]">
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

function About({ version, demo }: { version: string; demo: boolean }) {
  return (
    <>
      <p className="text-sm">Rehearsal {version}. Rehearse every conversation before your users have it.</p>
      <p className="text-sm text-soft">
        {demo
          ? "The built-in demo models are on: scripted answers, not a language model. They are switched off as soon as a hub or studio is configured."
          : "The built-in demo models are off."}{" "}
        The page itself asks nobody but the two services.
      </p>
    </>
  );
}
