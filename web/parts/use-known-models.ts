import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { studioModels } from "../api.ts";
import { pageConfig } from "../http.ts";

/** Fine-tuned models by name, with the UUID behind it. Runs of the built-in demo outlive its models: those keep their names. */
export function useKnownModels(): ReadonlyMap<string, string> {
  const config = useQuery({ queryKey: ["config"], queryFn: pageConfig, staleTime: Infinity });
  const studio = useQuery({
    queryKey: ["studio-models"],
    queryFn: ({ signal }) => studioModels(signal),
    staleTime: 30_000,
    retry: false,
  });
  const demo = config.data?.demo_models;
  return useMemo(() => new Map(Object.entries({ ...demo, ...studio.data })), [demo, studio.data]);
}
