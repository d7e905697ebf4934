import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { AgentRunSummary } from "../../src/contract/schemas/agent/agent-run.ts";
import { fetchAgentRuns, fetchAgentThreads, type AgentRunFilters } from "../api/agent-runs.ts";
import { isAuthError } from "../api/api-error.ts";
import { isDisconnected } from "../api/connection.ts";
import { agentRunPath, agentThreadPath } from "../parts/address/paths.ts";
import { changeSearch, useSearchState } from "../parts/address/search-state.ts";
import { useRowKeys } from "../parts/browser/events.ts";
import { FilterInput } from "../parts/forms/filter-input.tsx";
import { SegmentedControl } from "../parts/forms/segmented-control.tsx";
import { MoreButton } from "../parts/lists/list-controls.tsx";
import { useKnownModels, useModelName } from "../parts/runs/model-names.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Screen, Skeleton } from "../parts/screen/screen.tsx";
import { formatDuration, formatInteger, formatMoney } from "../parts/text/format.ts";
import { TimeAgo } from "../parts/text/time.tsx";
import { AgentRunBadge, agentRunStateLabel, agentRunStates, isUnderWay, tokensText, wireLabels } from "./run-facts.tsx";

const views = [
  { value: "runs", label: "Runs" },
  { value: "threads", label: "Threads" },
] as const;

/** The agent's recorded runs and stored conversations. View and filters are kept in the address. */
export function AgentRunsScreen() {
  const [params] = useSearchState();
  const view = params.get("view") === "threads" ? "threads" : "runs";
  useRowKeys();
  return (
    <Screen
      title="Agent runs"
      actions={
        <SegmentedControl
          legend="View"
          segments={views}
          value={view}
          onChange={(value) => changeSearch({ view: value === "runs" ? null : value })}
        />
      }
    >
      {view === "runs" ? <RunView /> : <ThreadView />}
    </Screen>
  );
}

/** The runs of one thread, or all that match the filters of the address. */
export function useAgentRuns(filters: AgentRunFilters) {
  return useInfiniteQuery({
    queryKey: ["agent-runs", filters],
    queryFn: ({ pageParam: cursor, signal }) => fetchAgentRuns({ ...filters, cursor }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      if (isAuthError(state.error) || isDisconnected()) return false;
      return state.data?.pages.some(({ runs }) => runs.some((run) => isUnderWay(run.state))) ? 1000 : 1500;
    },
  });
}

function RunView() {
  const [params] = useSearchState();
  const models = useKnownModels();
  const nameOf = useModelName();
  const model = params.get("model") ?? "";
  const state = agentRunStates.find((entry) => entry === params.get("state"));
  const wire = (Object.keys(wireLabels) as (keyof typeof wireLabels)[]).find((entry) => entry === params.get("wire"));
  const filters = {
    state,
    wire,
    // The service knows models only by id.
    model_id: models.get(model) ?? model,
    thread_id: params.get("thread") ?? "",
  };
  const list = useAgentRuns(filters);
  const runs = list.data?.pages.flatMap((page) => page.runs) ?? [];
  const filtered = Object.values(filters).some(Boolean);
  return (
    <>
      {(runs.length > 0 || filtered) && (
        <search className="flex flex-wrap items-end gap-2">
          <FilterInput
            label="Model"
            name="model"
            value={model}
            placeholder="exact name  /"
            suggestions={[...new Set(runs.map((run) => nameOf(run.model_id)))]}
            first
          />
          <FilterInput label="Thread" name="thread" value={filters.thread_id} placeholder="exact id" />
          <FilterSelect
            label="State"
            name="state"
            value={state ?? ""}
            options={agentRunStates.map((id) => [id, agentRunStateLabel(id)])}
          />
          <FilterSelect label="Protocol" name="wire" value={wire ?? ""} options={Object.entries(wireLabels)} />
        </search>
      )}
      {list.isPending && <Skeleton rows={8} label="Loading agent runs" />}
      {list.isError && <FailedNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && runs.length === 0 && (filtered ? <NoAgentRun /> : <NoRuns />)}
      {runs.length > 0 && <AgentRunTable runs={runs} />}
      <MoreButton list={list}>Older runs</MoreButton>
    </>
  );
}

interface FilterSelectProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly options: readonly (readonly [id: string, label: string])[];
}

function FilterSelect({ label, name, value, options }: FilterSelectProps) {
  return (
    <label className="grid gap-1 text-xs font-medium text-soft max-sm:grow max-sm:basis-[40%]">
      {label}
      <select
        className="field min-h-8.5 w-full min-w-24 sm:w-44"
        value={value}
        onChange={(event) => changeSearch({ [name]: event.target.value })}
      >
        <option value="">any</option>
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function NoAgentRun() {
  return (
    <div className="panel grid justify-items-start gap-2 p-6">
      <p className="font-medium">No agent runs match these filters.</p>
      <button
        type="button"
        className="button"
        onClick={() => changeSearch({ state: null, wire: null, model: null, thread: null })}
      >
        Clear filters
      </button>
    </div>
  );
}

function NoRuns() {
  return (
    <p className="panel p-6 text-soft">
      No agent runs yet. Every turn of the agent is recorded here, whether it comes from the{" "}
      <Link href="/chat" className="link">
        chat
      </Link>
      , from POST / or from an OpenAI-compatible client.
    </p>
  );
}

/** On narrow screens each row becomes a card. */
export function AgentRunTable({ runs }: { runs: readonly AgentRunSummary[] }) {
  const nameOf = useModelName();
  const priced = runs.some(({ cost }) => cost !== null);
  return (
    <table className="run-table many-columns">
      <caption className="sr-only">Agent runs</caption>
      <thead>
        <tr>
          <th scope="col">Message</th>
          <th scope="col">Model</th>
          <th scope="col">State</th>
          <th scope="col">Thread</th>
          <th scope="col">Protocol</th>
          <th scope="col" className="number">
            Model calls
          </th>
          <th scope="col" className="number">
            Tool calls
          </th>
          <th scope="col" className="number" title="Input → output">
            Tokens
          </th>
          {priced && (
            <th scope="col" className="number">
              Cost
            </th>
          )}
          <th scope="col" className="number">
            Duration
          </th>
          <th scope="col" className="number">
            When
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id}>
            <td data-cell="title">
              <Link href={agentRunPath(run.id)} className="row-link" data-row="">
                {run.input?.trim() || "(no message)"}
              </Link>
            </td>
            <td data-label="Model" className="mono break-all min-[75rem]:min-w-32" title={run.model_id}>
              <span className="clipped">{nameOf(run.model_id)}</span>
            </td>
            <td data-label="State">
              <AgentRunBadge state={run.state} />
            </td>
            <td data-label="Thread" className="mono max-w-40 min-[75rem]:min-w-28">
              {run.thread_id === null ? (
                <span className="text-faint">–</span>
              ) : (
                <Link href={agentThreadPath(run.thread_id)} className="link clipped relative z-1 break-all">
                  {run.thread_id}
                </Link>
              )}
            </td>
            <td data-label="Protocol" className="whitespace-nowrap text-soft">
              {wireLabels[run.wire]}
            </td>
            <td data-label="Model calls" className="number">
              {formatInteger(run.model_calls)}
            </td>
            <td data-label="Tool calls" className="number">
              {formatInteger(run.tool_calls)}
            </td>
            <td data-label="Tokens" className="number whitespace-nowrap">
              {tokensText(run)}
            </td>
            {priced && (
              <td data-label="Cost" className="number">
                {run.cost === null ? "–" : formatMoney(run.cost)}
              </td>
            )}
            <td data-label="Duration" className="number whitespace-nowrap">
              {formatDuration(run.duration_ms)}
            </td>
            <td data-label="When" className="number text-soft">
              <TimeAgo iso={new Date(run.created_at).toISOString()} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ThreadView() {
  const list = useInfiniteQuery({
    queryKey: ["agent-threads"],
    queryFn: ({ pageParam: cursor, signal }) => fetchAgentThreads(cursor, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const threads = list.data?.pages.flatMap((page) => page.threads) ?? [];
  return (
    <>
      {list.isPending && <Skeleton rows={6} label="Loading threads" />}
      {list.isError && <FailedNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && threads.length === 0 && (
        <p className="panel p-6 text-soft">
          No threads yet. A request to POST / with the header <span className="mono">x-thread-id</span> stores its
          conversation, and later turns send only the new messages.
        </p>
      )}
      {threads.length > 0 && (
        <table className="run-table">
          <caption className="sr-only">Threads</caption>
          <thead>
            <tr>
              <th scope="col">Thread</th>
              <th scope="col" className="number">
                First turn
              </th>
              <th scope="col" className="number">
                Last turn
              </th>
            </tr>
          </thead>
          <tbody>
            {threads.map(({ id, created_at, updated_at }) => (
              <tr key={id}>
                <td data-cell="title">
                  <Link href={agentThreadPath(id)} className="row-link mono" data-row="">
                    {id}
                  </Link>
                </td>
                <td data-label="First turn" className="number text-soft">
                  <TimeAgo iso={new Date(created_at).toISOString()} />
                </td>
                <td data-label="Last turn" className="number text-soft">
                  <TimeAgo iso={new Date(updated_at).toISOString()} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <MoreButton list={list}>Older threads</MoreButton>
    </>
  );
}
