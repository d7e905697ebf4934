import { useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { PageLimit } from "../../src/contract/schemas/shared/service-info.ts";
import { apiKey, setApiKey } from "../api/http.ts";
import { usePageConfig } from "../api/queries.ts";
import { ApiKeyForm } from "../parts/forms/api-key-form.tsx";
import { SegmentedControl } from "../parts/forms/segmented-control.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { CopyButton } from "../parts/text/copy-button.tsx";
import { formatDuration, formatInteger } from "../parts/text/format.ts";
import { themeChoices, themes, useTheme } from "../shell/theme.tsx";

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
        <SegmentedControl
          legend="Theme"
          segments={themeChoices.map((value) => ({ value, label: themes[value].label }))}
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
              <p className="text-sm text-soft">
                Set in the server's environment or its rehearsal.yaml. Changes apply after a restart.
              </p>
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
    { name: "Agent backend", url: new URL(location.origin) },
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
          ? "The built-in demo models are on: they give scripted answers. They are switched off when you configure a hub or a studio."
          : "The built-in demo models are off."}{" "}
        This page talks only to your two Rehearsal services.
      </p>
    </>
  );
}

/** Limits of the services and the variables or configuration keys that set them. */
function LimitList({ limits }: { limits: readonly PageLimit[] }) {
  return (
    <div className="w-full overflow-x-auto" tabIndex={0} role="region" aria-label="Limits in force">
      <table className="data-table">
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col" className="number">
              Value
            </th>
          </tr>
        </thead>
        <tbody>
          {limits.map((limit) => (
            <tr key={`${limit.name} ${limit.meaning}`}>
              <th scope="row">
                {meaningOf(limit)}
                <span className="mono block font-normal break-all text-soft">{limit.name}</span>
              </th>
              <td className="number whitespace-nowrap">{formatLimit(limit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The value is shown with its unit. */
const meaningOf = ({ meaning }: PageLimit): string => meaning.replace(/(, in bytes)?\.$/, "").replaceAll("`", "");

const mebibyte = 1024 * 1024;

/** The suffix of the name is the unit: 8388608 of REHEARSAL_MAX_BODY_BYTES is "8 MiB". */
function formatLimit({ name, value }: PageLimit): string {
  if (/_ms$/i.test(name)) return formatDuration(value);
  if (!/_bytes$/i.test(name)) return formatInteger(value);
  return value >= mebibyte ? `${round(value / mebibyte)} MiB` : `${round(value / 1024)} KiB`;
}

const round = (value: number): string => String(Math.round(value * 10) / 10);

function SettingsPanel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="panel grid max-w-3xl grid-cols-[minmax(0,1fr)] justify-items-start gap-2 p-4"
    >
      <h2 className="font-semibold">{title}</h2>
      {children}
    </section>
  );
}

const keyCommands = [
  {
    line: "rehearsal keys create alice --scopes evaluate,runs:read,runs:write,agent,models:read",
    does: "creates a key",
  },
  { line: "rehearsal keys list", does: "lists keys and when they were last used" },
  { line: "rehearsal keys revoke ID", does: "revokes a key immediately" },
] as const;

/** The key of this tab, and the commands that manage keys: they run on the server, never over the network. */
function KeySettings({ required }: { required: boolean | undefined }) {
  const [known, setKnown] = useState(() => apiKey() !== null);
  return (
    <>
      <p className="max-w-prose text-sm text-soft">{known ? storedKeyText(required) : missingKeyText(required)}</p>
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
          Remove key
        </button>
      )}
      <details className="w-full text-sm">
        <summary className="text-soft">Create, list and revoke keys</summary>
        <p className="mt-2 max-w-prose text-soft">
          Run these on the server. Provider keys are separate: set them as environment variables.
        </p>
        <ul className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-1">
          {keyCommands.map(({ line, does }) => (
            <li key={line} className="flex flex-wrap items-center gap-x-3 rounded-md bg-sunken py-0.5 pr-1 pl-3">
              <code className="mono min-w-0 flex-1 basis-60 break-words">{line}</code>
              <span className="text-xs text-soft">{does}</span>
              <CopyButton text={line} />
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function storedKeyText(required: boolean | undefined): string {
  const text = "A key is set for this tab. It is removed when you close the tab.";
  return required === false ? `${text} It was not checked, because the services require no key.` : text;
}

function missingKeyText(required: boolean | undefined): string {
  if (required === true) return "The services require an API key.";
  if (required === false) return "No key required.";
  return "Only needed if the services require a key.";
}
