import { MessagesSquare, Play } from "lucide-react";
import { Link } from "wouter";
import type { AgentUpstreams } from "../../src/contract/schemas/models.ts";
import type { KnownModel, ModelGroup } from "./group-models.ts";

/** The models of one origin, each with its state and links to chat with it or test it. */
export function ModelTable({ group, state }: { group: ModelGroup; state: AgentUpstreams | null }) {
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

function ModelLine({ model, state }: { model: KnownModel; state: AgentUpstreams | null }) {
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

/** How a model is given tools, and what it is doing right now, as far as that is known. */
function ModelState({ id, state }: { id: string; state: AgentUpstreams | null }) {
  const tools = state?.tool_support.find((entry) => entry.model_id === id);
  const route = state?.routes.find((entry) => entry.model === id);
  const facts = [
    tools && (tools.mode === "native" ? "endpoint takes tools" : "tools by prompt"),
    route && `${route.running} running, ${route.waiting} waiting`,
  ].filter((fact): fact is string => fact !== undefined);
  return <span className="text-sm text-soft">{facts.join(" · ")}</span>;
}
