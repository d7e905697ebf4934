import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { fetchStudioModels } from "../../api/models.ts";
import { usePageConfig } from "../../api/queries.ts";

/** Maps a model id to its display name: fine-tuned models have one, others show their id. */
export function useModelName(): (id: string) => string {
  const models = useKnownModels();
  const names = useMemo(() => new Map([...models].map(([name, id]) => [id, name])), [models]);
  return useCallback((id: string) => names.get(id) ?? id, [names]);
}

/** UUIDs of fine-tuned models by name, including demo models that were switched off: their runs still exist. */
export function useKnownModels(): ReadonlyMap<string, string> {
  const config = usePageConfig();
  const studio = useQuery({
    queryKey: ["studio-models"],
    queryFn: ({ signal }) => fetchStudioModels(signal),
    staleTime: 30_000,
    retry: false,
  });
  const demo = config.data?.demo_models;
  return useMemo(() => new Map(Object.entries({ ...demo, ...studio.data })), [demo, studio.data]);
}
