import { useMutation, useQuery } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, MessagesSquare, Play, PlugZap } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { Link } from "wouter";
import type { ConnectionTest, ModelProvider, ModelProviderList } from "../../src/contract/schemas/agent/models.ts";
import { isAuthError } from "../api/api-error.ts";
import { isDisconnected } from "../api/connection.ts";
import { fetchProviders, testProvider } from "../api/models.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { TextField } from "../parts/forms/fields.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { CopyButton } from "../parts/text/copy-button.tsx";
import { formatCount, formatDuration } from "../parts/text/format.ts";
import { isHosted, modelLinks, otherProvider, setupLines, startHints, toTestRequest } from "./provider-setup.ts";

const pollMs = 3000;

/** Connects a provider in four steps. The chosen one is kept in the address (`?provider=`). */
export default function ConnectScreen() {
  const list = useQuery({
    queryKey: ["providers"],
    queryFn: ({ signal }) => fetchProviders(signal),
    // Shows a variable as set soon after the restart that it needs.
    refetchInterval: ({ state: { error } }) => (isAuthError(error) || isDisconnected() ? false : pollMs),
  });
  const [params] = useSearchState();
  const providers = [...(list.data?.providers ?? []), otherProvider];
  const chosen = providers.find(({ id }) => id === params.get("provider"));
  return (
    <Screen title="Connect a model">
      <p className="max-w-prose text-soft">
        Keys stay in the environment of the service. They are never typed into this page and never sent to it.
      </p>
      {list.isPending && <Skeleton rows={5} label="Loading providers" />}
      {list.isError && !list.data && <FailedNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.data && (
        <ol className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <Step number={1} title="Choose a provider">
            <ProviderChoice providers={providers} chosen={chosen?.id ?? ""} />
          </Step>
          {chosen && <ProviderSteps key={chosen.id} provider={chosen} list={list.data} />}
        </ol>
      )}
    </Screen>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <h2 className="flex items-baseline gap-2 text-base font-semibold">
        <span className="text-soft tabular-nums">{number}</span> {title}
      </h2>
      {children}
    </li>
  );
}

function ProviderChoice({ providers, chosen }: { providers: readonly ModelProvider[]; chosen: string }) {
  const name = useId();
  return (
    <fieldset className="grid grid-cols-2 gap-2 md:grid-cols-4">
      <legend className="sr-only">Provider</legend>
      {providers.map((provider) => (
        <label
          key={provider.id}
          className="grid cursor-pointer content-start gap-0.5 rounded-md border border-line bg-surface p-3 hover:border-accent has-checked:border-accent has-checked:bg-accent-ground has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            className="sr-only"
            name={name}
            checked={provider.id === chosen}
            onChange={() => changeSearch({ provider: provider.id })}
          />
          <span className="verbatim font-medium">{provider.name}</span>
          <ProviderState provider={provider} />
        </label>
      ))}
    </fieldset>
  );
}

function ProviderState({ provider: { connected, key_set, key_variable, id } }: { provider: ModelProvider }) {
  if (connected) {
    return (
      <span className="inline-flex items-center gap-1 text-xs text-good">
        <CircleCheck aria-hidden size={13} /> Connected
      </span>
    );
  }
  if (id === "other") return <span className="text-xs text-soft">Any OpenAI-compatible server</span>;
  const text = key_variable === null ? "No key needed" : key_set ? "Key is set" : "Needs a key";
  return <span className="text-xs text-soft">{text}</span>;
}

function ProviderSteps({ provider, list }: { provider: ModelProvider; list: ModelProviderList }) {
  const [typed, setTyped] = useState(provider.base_url ?? "");
  const [needsKey, setNeedsKey] = useState(provider.id !== "other");
  const baseUrl = typed.trim();
  const test = useMutation({ mutationFn: () => testProvider(toTestRequest(provider, baseUrl)) });
  const isFixed = isHosted(provider) || (provider.connected && provider.base_url !== null);
  const canTest = isFixed || baseUrl !== "";
  return (
    <>
      <Step number={2} title={isHosted(provider) ? `Set ${provider.key_variable}` : "Set the address"}>
        {!isFixed && (
          <TextField
            label="Base URL"
            value={typed}
            placeholder={
              provider.id === "azure" ? "https://NAME.openai.azure.com/openai/v1" : "http://127.0.0.1:8080/v1"
            }
            hint={startHints[provider.id] ?? ""}
            onText={setTyped}
            inputMode="url"
            spellCheck={false}
          />
        )}
        {provider.id === "other" && (
          <label className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4 accent-(--accent)"
              checked={needsKey}
              onChange={() => setNeedsKey(!needsKey)}
            />
            It needs a key
          </label>
        )}
        <SetupText provider={provider} baseUrl={baseUrl} needsKey={needsKey} list={list} />
      </Step>
      <Step number={3} title="Test the connection">
        <div className="flex flex-wrap items-center gap-3">
          <button
            type="button"
            className="button button-primary"
            disabled={!canTest}
            aria-disabled={test.isPending}
            onClick={() => test.isPending || test.mutate()}
          >
            <PlugZap aria-hidden size={15} /> {test.isPending ? "Testing …" : test.data ? "Test again" : "Test"}
          </button>
          <span role="status" className="min-w-0">
            {test.data && <TestResult result={test.data} provider={provider} />}
          </span>
        </div>
        {test.error && <FailedNotice error={test.error} />}
      </Step>
      {test.data?.ok && (
        <Step number={4} title="Pick a model">
          <ModelChoice provider={provider} baseUrl={baseUrl} models={test.data.models} />
        </Step>
      )}
    </>
  );
}

interface SetupTextProps {
  readonly provider: ModelProvider;
  readonly baseUrl: string;
  readonly needsKey: boolean;
  readonly list: ModelProviderList;
}

/** The lines to set and the place for them, or that nothing is left to do. */
function SetupText({ provider, baseUrl, needsKey, list }: SetupTextProps) {
  if (provider.connected || (isHosted(provider) && provider.key_set)) {
    return (
      <p className="flex items-start gap-2 text-sm">
        <CircleCheck aria-hidden size={16} className="mt-0.5 shrink-0 text-good" />
        <span className="verbatim">
          {provider.key_variable && provider.key_set
            ? `${provider.key_variable} is set.`
            : `${provider.name} is set up.`}{" "}
          {provider.connected && `Its models are named ${provider.id}/….`}
        </span>
      </p>
    );
  }
  const { lines, entry } = setupLines({ provider, baseUrl, needsKey, hubProvidersSet: list.hub_providers_set });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 text-sm">
      {lines.length > 0 && <CodeLines text={lines.join("\n")} />}
      {entry !== null && (
        <>
          <p>HUB_PROVIDERS is set already. Add this entry to it:</p>
          <CodeLines text={entry} />
        </>
      )}
      <p className="max-w-prose text-soft">
        Put this into the file <span className="mono">.env</span> in the folder where you start Rehearsal, or into the
        environment of the shell. With Docker Compose, use the <span className="mono">.env</span> beside{" "}
        <span className="mono">compose.yaml</span>. Then restart Rehearsal: this page notices.
      </p>
      {!isHosted(provider) && (
        <p className="max-w-prose text-soft">
          To only run scenarios against it, you need no setting: test it below and start a run.
        </p>
      )}
    </div>
  );
}

function CodeLines({ text }: { text: string }) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-2 rounded-md bg-sunken p-2">
      <pre className="mono verbatim min-w-0 flex-1 basis-64">{text}</pre>
      <CopyButton text={text} />
    </div>
  );
}

function TestResult({ result, provider }: { result: ConnectionTest; provider: ModelProvider }) {
  const { ok, duration_ms, models, error } = result;
  if (ok) {
    return (
      <span className="inline-flex items-center gap-1.5 text-sm">
        <CircleCheck aria-hidden size={16} className="shrink-0 text-good" />
        Answered in {formatDuration(duration_ms)}: {formatCount(models.length, "model")}.
      </span>
    );
  }
  const missing = provider.key_variable && !provider.key_set && error?.code === "upstream_auth";
  return (
    <span className="grid gap-0.5 text-sm">
      <span className="inline-flex items-start gap-1.5 font-medium text-bad">
        <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
        <span className="verbatim">{error?.detail}</span>
      </span>
      <span className="text-soft">{missing ? `Set ${provider.key_variable} and restart Rehearsal.` : error?.hint}</span>
    </span>
  );
}

const mostShown = 30;

function ModelChoice({
  provider,
  baseUrl,
  models,
}: {
  provider: ModelProvider;
  baseUrl: string;
  models: readonly string[];
}) {
  const [text, setText] = useState("");
  const searched = text.trim().toLowerCase();
  const found = models.filter((model) => model.toLowerCase().includes(searched));
  const named = found.length === 0 && text.trim() !== "" ? [text.trim()] : found;
  return (
    <>
      <TextField
        label="Find a model, or type its name"
        value={text}
        onText={setText}
        placeholder={models[0] ?? "model name"}
        {...(models.length === 0 && { hint: "The server lists no models." })}
      />
      <ul className="grid max-h-112 divide-y divide-line overflow-y-auto rounded-md border border-line empty:hidden">
        {named.slice(0, mostShown).map((model) => (
          <ModelRow key={model} provider={provider} baseUrl={baseUrl} model={model} />
        ))}
      </ul>
      {named.length > mostShown && (
        <p className="text-sm text-soft">
          and {formatCount(named.length - mostShown, "more model")}: type part of a name.
        </p>
      )}
    </>
  );
}

function ModelRow({ provider, baseUrl, model }: { provider: ModelProvider; baseUrl: string; model: string }) {
  const ask = useMutation({ mutationFn: () => testProvider({ ...toTestRequest(provider, baseUrl), model }) });
  const { chat, run } = modelLinks(provider, { baseUrl, model });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
      <span className="mono verbatim min-w-0 flex-1 basis-48">{model}</span>
      <span role="status" className="verbatim min-w-0 text-sm text-soft">
        {ask.data?.ok && `“${ask.data.reply}” in ${formatDuration(ask.data.duration_ms)}`}
        {ask.data?.error && <span className="text-bad">{ask.data.error.detail}</span>}
        {ask.error && <span className="text-bad">The test could not be sent.</span>}
      </span>
      <span className="flex flex-wrap gap-2">
        <button
          type="button"
          className="button"
          aria-disabled={ask.isPending}
          onClick={() => ask.isPending || ask.mutate()}
        >
          <PlugZap aria-hidden size={14} /> {ask.isPending ? "Asking …" : "Ask it"}
        </button>
        {chat !== null && (
          <Link href={chat} className="button">
            <MessagesSquare aria-hidden size={14} /> Chat
          </Link>
        )}
        <Link href={run} className="button">
          <Play aria-hidden size={14} /> Run scenarios
        </Link>
      </span>
    </li>
  );
}
