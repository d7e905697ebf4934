import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { studioModels } from "../api.ts";
import { pageConfig } from "../http.ts";
import { toModelOptions } from "./model-options.ts";
import { recentModels } from "./recent-models.ts";

/** The models to offer. A list that cannot be read is missing from the offer, and its error is told. */
export function useModels() {
  const studio = useQuery({
    queryKey: ["studio-models"],
    queryFn: ({ signal }) => studioModels(signal),
    staleTime: 30_000,
  });
  const config = useQuery({ queryKey: ["config"], queryFn: pageConfig, staleTime: Infinity });

  const options = useMemo(
    () => toModelOptions({ recent: recentModels(), studio: studio.data ?? {}, hub: config.data?.hub_models ?? [] }),
    [studio.data, config.data],
  );
  return { options, pending: studio.isPending || config.isPending, studioError: studio.error };
}
