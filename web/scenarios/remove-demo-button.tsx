import { useMutation, useQueryClient } from "@tanstack/react-query";
import { FlaskConicalOff } from "lucide-react";
import { removeDemoScenarios } from "../library-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { handFocusToMain } from "../parts/hand-focus-on.ts";

export function RemoveDemoButton() {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: removeDemoScenarios,
    onSuccess: () => client.invalidateQueries({ queryKey: ["library"] }),
  });
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm text-soft">
      Scenarios marked demo are examples to try things with.
      <button
        type="button"
        ref={handFocusToMain}
        className="button"
        aria-disabled={remove.isPending}
        onClick={() => remove.isPending || remove.mutate()}
      >
        <FlaskConicalOff aria-hidden size={14} /> Remove the demo examples
      </button>
      {remove.error && <FailedNotice error={remove.error} />}
    </div>
  );
}
