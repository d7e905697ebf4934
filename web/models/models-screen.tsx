import { useQuery } from "@tanstack/react-query";
import { MessagesSquare, Play } from "lucide-react";
import { Link } from "wouter";
import { studioModels } from "../api.ts";
import type { AgentUpstreams } from "../../src/contract/agent-upstreams.ts";
import { openAiModels, upstreams } from "../models-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { Screen } from "../parts/screen.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { groupModels, type ModelGroup } from "./group-models.ts";
import { BreakerList } from "./breaker-list.tsx";

/** Every model known by name, where it comes from, and how its provider fares. */
export default function ModelsScreen() {
  const studio = useQuery({ queryKey: ["studio-models"], queryFn: ({ signal }) => studioModels(signal) });
  const listed = useQuery({ queryKey: ["openai-models"], queryFn: ({ signal }) => openAiModels(signal) });
  const state = useQuery({
    queryKey: ["upstreams"],
    queryFn: ({ signal }) => upstreams(signal),
    refetchInterval: 10_000,
  });
  const groups = groupModels(studio.data ?? {}, listed.data?.data ?? []);
  const pending = studio.isPending || listed.isPending;

  return (
    <Screen title="Models">
      {state.isError && <FailedNotice error={state.error} onRetry={() => void state.refetch()} />}
      {state.data && <BreakerList breakers={state.data.breakers} />}
      {studio.isError && <FailedNotice error={studio.error} onRetry={() => void studio.refetch()} />}
      {listed.isError && <FailedNotice error={listed.error} onRetry={() => void listed.refetch()} />}
      {pending && <Skeleton rows={6} label="Loading models" />}
      {!pending && groups.length === 0 && (
        <p className="panel p-4 text-soft">
          No model is known by name. Any <span className="mono">provider/model</span> of the hub can still be typed in
          the chat.
        </p>
      )}
      {groups.map((group) => (
        <ModelTable key={group.title} group={group} state={state.data ?? null} />
      ))}
    </Screen>
  );
}

function ModelTable({ group, state }: { group: ModelGroup; state: AgentUpstreams | null }) {
  return (
    <section aria-label={group.title} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 className="text-base font-semibold">{group.title}</h2>
      <ul className="panel divide-y divide-line">
        {group.models.map((model) => (
          <li key={model.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
            <span className="min-w-0 flex-1 basis-56">
              <span className="verbatim block font-medium">{model.name}</span>
              {model.name !== model.id && <span className="mono verbatim text-soft">{model.id}</span>}
            </span>
            <ModelState id={model.id} state={state} />
            <span className="flex gap-2">
              <Link href={`/chat?model=${encodeURIComponent(model.id)}`} className="button">
                <MessagesSquare aria-hidden size={14} /> Chat
              </Link>
              <Link href={`/new?model=${encodeURIComponent(model.id)}`} className="button">
                <Play aria-hidden size={14} /> Test
              </Link>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How a model takes tools, and what it is doing right now, as far as that is known. */
function ModelState({ id, state }: { id: string; state: AgentUpstreams | null }) {
  const tools = state?.tool_support.find((entry) => entry.model_id === id);
  const route = state?.routes.find((entry) => entry.model === id);
  const facts = [
    tools && (tools.mode === "native" ? "uses tools" : "tools by prompt"),
    route && `${route.running} running, ${route.waiting} waiting`,
  ].filter((fact): fact is string => fact !== undefined);
  return <span className="text-sm text-soft">{facts.join(" · ")}</span>;
}
