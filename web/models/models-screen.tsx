import { useQuery } from "@tanstack/react-query";
import { MessagesSquare, Play, Plug, Radar } from "lucide-react";
import { Link } from "wouter";
import type { AgentUpstreams, LocalServers, OpenAiModel } from "../../src/contract/schemas/agent/models.ts";
import { isAuthError, toApiError } from "../api/api-error.ts";
import { isDisconnected } from "../api/connection.ts";
import { fetchLocalServers, fetchOpenAiModels, fetchStudioModels, fetchUpstreams } from "../api/models.ts";
import { useSearchState } from "../parts/address/search-state.ts";
import { FilterInput } from "../parts/forms/filter-input.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { formatCount } from "../parts/text/format.ts";
import { ProviderList } from "./provider-list.tsx";

/** Up to this many models, the filter is hidden. */
const fewModels = 12;

/** The providers with their health, and the known models. */
export default function ModelsScreen() {
  const studio = useQuery({ queryKey: ["studio-models"], queryFn: ({ signal }) => fetchStudioModels(signal) });
  const listed = useQuery({ queryKey: ["openai-models"], queryFn: ({ signal }) => fetchOpenAiModels(signal) });
  const state = useQuery({
    queryKey: ["upstreams"],
    queryFn: ({ signal }) => fetchUpstreams(signal),
    refetchInterval: ({ state: { error } }) => (isAuthError(error) || isDisconnected() ? false : 10_000),
  });
  const [params] = useSearchState();
  const searched = params.get("q") ?? "";
  const known = groupModels(studio.data ?? {}, listed.data?.data ?? []);
  const groups = findModels(known, searched);
  const many = known.reduce((sum, { models }) => sum + models.length, 0) > fewModels;
  const failed = [state, studio, listed].filter(({ isError }) => isError);
  // The three queries often fail for the same reason, which is shown once.
  const failures = Map.groupBy(
    failed.map(({ error }) => toApiError(error)),
    ({ code, detail }) => `${code} ${detail}`,
  );
  const retry = (): void => failed.forEach(({ refetch }) => void refetch());
  // Sections appear from top to bottom, so that loaded content does not move.
  const begun = !state.isPending && !studio.isPending;
  const complete = begun && !listed.isPending;

  return (
    <Screen
      title="Models"
      actions={
        <Link href="/connect" className="button button-primary">
          <Plug aria-hidden size={15} /> Connect a model
        </Link>
      }
    >
      {[...failures].map(([key, [error]]) => (
        <FailedNotice key={key} error={error} onRetry={retry} />
      ))}
      {begun && state.data && (
        <section aria-label="Provider health" className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <h2 className="text-base font-semibold">Providers</h2>
          <ProviderList {...state.data} />
        </section>
      )}
      {complete && failed.length === 0 && known.length === 0 && (
        <p className="panel p-4 text-soft">
          No models found.{" "}
          <Link href="/connect" className="link">
            Connect a provider
          </Link>
          , or set <span className="mono">HUB_BASE_URL</span> or <span className="mono">STUDIO_BASE_URL</span> in the
          services' environment.
        </p>
      )}
      {begun && (many || searched !== "") && (
        <search className="flex">
          <FilterInput label="Find a model" name="q" value={searched} placeholder="part of the name  /" first />
        </search>
      )}
      {complete && known.length > 0 && groups.length === 0 && <p className="panel p-4 text-soft">No models match.</p>}
      {begun && groups.map((group) => <ModelTable key={group.title} group={group} state={state.data ?? null} />)}
      {!complete && <Skeleton rows={6} label="Loading models" />}
      {complete && state.data && <LocalServerSearch />}
    </Screen>
  );
}

function ModelTable({ group, state }: { group: ModelGroup; state: AgentUpstreams | null }) {
  return (
    <section aria-label={group.title} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 className="text-base font-semibold">{group.title}</h2>
      <ul className="panel divide-y divide-line">
        {group.models.map((model) => (
          <ModelLine key={model.id} model={model} state={state} />
        ))}
      </ul>
    </section>
  );
}

function ModelLine({ model, state }: { model: ShownModel; state: AgentUpstreams | null }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <span className="min-w-0 flex-1 basis-56">
        <span className="verbatim block font-medium">{model.name}</span>
        {model.name !== model.id && <span className="mono verbatim text-soft">{model.id}</span>}
      </span>
      <ModelState id={model.id} state={state} />
      <span className="flex flex-wrap gap-2">
        <Link href={`/chat?model=${encodeURIComponent(model.id)}`} className="button">
          <MessagesSquare aria-hidden size={14} /> Chat
        </Link>
        <Link href={`/new?model=${encodeURIComponent(model.id)}`} className="button">
          <Play aria-hidden size={14} /> Test
        </Link>
      </span>
    </li>
  );
}

/** How a model receives tools, and its current load. */
function ModelState({ id, state }: { id: string; state: AgentUpstreams | null }) {
  const tools = state?.tool_support.find((entry) => entry.model_id === id);
  const route = state?.routes.find((entry) => entry.model === id);
  const facts = [
    tools && (tools.mode === "native" ? "native tools" : "tools by prompt"),
    route && `${route.running} running, ${route.waiting} waiting`,
  ].filter((fact): fact is string => fact !== undefined);
  return <span className="text-sm text-soft">{facts.join(" · ")}</span>;
}

interface ShownModel {
  readonly id: string;
  readonly name: string;
}

interface ModelGroup {
  readonly title: string;
  readonly models: readonly ShownModel[];
}

const titles: Readonly<Record<string, string>> = { "fine-tuned": "Fine-tuned", hub: "Hub", alias: "Aliases" };

/** Models by origin, without duplicates: fine-tuned models are in both lists. */
function groupModels(studio: Readonly<Record<string, string>>, listed: readonly OpenAiModel[]): ModelGroup[] {
  const groups = new Map<string, Map<string, string>>();
  const add = (owner: string, id: string, name: string): void => {
    const title = titles[owner] ?? owner;
    const models = groups.get(title) ?? new Map<string, string>();
    if (!models.has(id)) models.set(id, name);
    groups.set(title, models);
  };
  for (const [name, id] of Object.entries(studio)) add("fine-tuned", id, name);
  for (const model of listed) add(model.owned_by, model.id, model.name ?? model.id);
  return [...groups].map(([title, models]) => ({ title, models: [...models].map(([id, name]) => ({ id, name })) }));
}

/** Models with the text in their name or id, without empty groups. */
function findModels(groups: readonly ModelGroup[], text: string): ModelGroup[] {
  const searched = text.trim().toLowerCase();
  const found = groups.map(({ title, models }) => ({
    title,
    models: models.filter(({ id, name }) => `${name}\n${id}`.toLowerCase().includes(searched)),
  }));
  return found.filter(({ models }) => models.length > 0);
}

/** Searches the service's own machine for Ollama, LM Studio, llama.cpp and vLLM. */
function LocalServerSearch() {
  const search = useQuery({
    queryKey: ["local-servers"],
    queryFn: ({ signal }) => fetchLocalServers(signal),
    enabled: false,
    retry: false,
  });
  return (
    <section aria-label="On this machine" className="grid grid-cols-[minmax(0,1fr)] justify-items-start gap-2">
      <h2 className="text-base font-semibold">On this machine</h2>
      <button
        type="button"
        className="button whitespace-normal"
        aria-disabled={search.isFetching}
        onClick={() => void search.refetch({ cancelRefetch: false })}
      >
        <Radar aria-hidden size={14} /> {search.isFetching ? "Searching …" : "Find Ollama, LM Studio, llama.cpp, vLLM"}
      </button>
      {search.error && <FailedNotice error={search.error} />}
      {search.data?.servers.length === 0 && <p className="text-sm text-soft">No local servers found.</p>}
      {search.data && search.data.servers.length > 0 && <ServerList servers={search.data.servers} />}
    </section>
  );
}

function ServerList({ servers }: LocalServers) {
  return (
    <ul className="panel w-full divide-y divide-line">
      {servers.map((server) => (
        <li key={server.base_url} className="grid grid-cols-[minmax(0,1fr)] gap-1 px-4 py-2.5">
          <span className="flex flex-wrap items-baseline gap-x-3">
            <span className="font-medium">{server.kind}</span>
            <span className="mono break-all text-soft">{server.base_url}</span>
            <span className="text-sm text-soft">
              {server.needs_key ? "needs a key" : formatCount(server.models.length, "model")}
            </span>
          </span>
          <span className="flex flex-wrap gap-2">
            {server.models.map((model) => (
              <Link
                key={model}
                href={`/new?${new URLSearchParams({ endpoint: server.base_url, model }).toString()}`}
                className="button whitespace-normal wrap-anywhere"
              >
                <Play aria-hidden size={14} /> Test {model}
              </Link>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}
