import { useQuery } from "@tanstack/react-query";
import { Play, Radar } from "lucide-react";
import { Link } from "wouter";
import type { LocalServers } from "../../src/contract/schemas/models.ts";
import { localServers } from "../models-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { formatCount } from "../parts/format.ts";

/** Ollama, LM Studio, llama.cpp and vLLM on the service's own machine, looked for when asked. */
export function LocalServerSearch() {
  const search = useQuery({
    queryKey: ["local-servers"],
    queryFn: ({ signal }) => localServers(signal),
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
        <Radar aria-hidden size={14} />{" "}
        {search.isFetching ? "Looking …" : "Look for Ollama, LM Studio, llama.cpp, vLLM"}
      </button>
      {search.error && <FailedNotice error={search.error} />}
      {search.data?.servers.length === 0 && <p className="text-sm text-soft">None of them answers.</p>}
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
              {server.needs_key ? "wants a key" : formatCount(server.models.length, "model")}
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
