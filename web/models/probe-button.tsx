import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ScanSearch } from "lucide-react";
import { toApiError } from "../api-error.ts";
import { probeModel } from "../models-api.ts";

/** Finds out what a model can do by asking it a few small things. */
export function ProbeButton({ modelId, known }: { modelId: string; known: boolean }) {
  const client = useQueryClient();
  const probe = useMutation({
    mutationFn: () => probeModel(modelId),
    onSettled: () => client.invalidateQueries({ queryKey: ["upstreams"] }),
  });
  return (
    <>
      {probe.error && (
        <span role="alert" className="verbatim text-sm text-bad">
          {toApiError(probe.error).message}
        </span>
      )}
      <button
        type="button"
        className="button button-quiet"
        title="Asks the model a few small questions, which cost a few hundred tokens"
        aria-disabled={probe.isPending}
        onClick={() => probe.isPending || probe.mutate()}
      >
        <ScanSearch aria-hidden size={14} /> {probe.isPending ? "Asking …" : known ? "Ask again" : "What can it do?"}
      </button>
    </>
  );
}
