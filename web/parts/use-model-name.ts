import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { studioModels } from "../api.ts";

/** What people call a model: fine-tuned ones have a name behind their UUID. Unknown ones, and all where no list can be read, are their id. */
export function useModelName(): (id: string) => string {
  const studio = useQuery({
    queryKey: ["studio-models"],
    queryFn: ({ signal }) => studioModels(signal),
    staleTime: 30_000,
    retry: false,
  });
  const names = useMemo(
    () => new Map(Object.entries(studio.data ?? {}).map(([name, id]) => [id, name])),
    [studio.data],
  );
  return useCallback((id: string) => names.get(id) ?? id, [names]);
}
