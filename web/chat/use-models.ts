import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { studioModels } from "../api.ts";
import { openAiModels } from "../models-api.ts";
import { usePageConfig } from "../parts/use-page-config.ts";
import { toModelOptions } from "./model-options.ts";
import { recentModels } from "./recent-models.ts";

/** The models to offer. A list that cannot be read is missing from the offer; of the fine-tuned ones, its error is told. */
export function useModels() {
  const studio = useQuery({
    queryKey: ["studio-models"],
    queryFn: ({ signal }) => studioModels(signal),
    staleTime: 30_000,
  });
  const config = usePageConfig();
  // A hub may take long to tell what it has, and holds up nobody who does not ask for it.
  const listed = useQuery({
    queryKey: ["openai-models"],
    queryFn: ({ signal }) => openAiModels(signal),
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
