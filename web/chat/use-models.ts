import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { fetchOpenAiModels, fetchStudioModels } from "../api/models.ts";
import { usePageConfig } from "../api/queries.ts";
import { recentModels, toModelOptions } from "./model-options.ts";

/** The selectable models. Lists that cannot be loaded are skipped; only an error of the studio is reported. */
export function useModels() {
  const studio = useQuery({
    queryKey: ["studio-models"],
    queryFn: ({ signal }) => fetchStudioModels(signal),
    staleTime: 30_000,
  });
  const config = usePageConfig();
  // A hub may be slow to list its models; the others are usable meanwhile.
  const listed = useQuery({
    queryKey: ["openai-models"],
    queryFn: ({ signal }) => fetchOpenAiModels(signal),
    staleTime: 30_000,
    retry: false,
  });

  const options = useMemo(
    () =>
      toModelOptions({
        recent: recentModels(),
        studio: studio.data ?? {},
        hub: config.data?.hub_models ?? [],
        listed: listed.data?.data ?? [],
      }),
    [studio.data, config.data, listed.data],
  );
  const pending = studio.isPending || config.isPending || (options.length === 0 && listed.isPending);
  return { options, pending, studioError: studio.error };
}
