import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { studioModels } from "../api.ts";
import { usePageConfig } from "./use-page-config.ts";

/** Fine-tuned models by name, with the UUID behind it. Runs of the built-in demo outlive its models: those keep their names. */
export function useKnownModels(): ReadonlyMap<string, string> {
  const config = usePageConfig();
  const studio = useQuery({
    queryKey: ["studio-models"],
    queryFn: ({ signal }) => studioModels(signal),
    staleTime: 30_000,
    retry: false,
  });
  const demo = config.data?.demo_models;
  return useMemo(() => new Map(Object.entries({ ...demo, ...studio.data })), [demo, studio.data]);
}
