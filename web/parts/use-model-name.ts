import { useCallback, useMemo } from "react";
import { useKnownModels } from "./use-known-models.ts";

/** What people call a model: fine-tuned ones have a name behind their UUID. Unknown ones, and all where no list can be read, are their id. */
export function useModelName(): (id: string) => string {
  const models = useKnownModels();
  const names = useMemo(() => new Map([...models].map(([name, id]) => [id, name])), [models]);
  return useCallback((id: string) => names.get(id) ?? id, [names]);
}
