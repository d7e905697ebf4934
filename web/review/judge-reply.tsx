import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import { toApiError } from "../api/api-error.ts";
import { keepRater, readRater, sendVerdicts } from "../api/review.ts";
import { fromSegment } from "../parts/address/paths.ts";
import { usePathSegments } from "../parts/address/search-state.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { ModalDialog } from "../parts/screen/dialogs.tsx";

interface JudgeReplyProps {
  readonly scenarioId: string;
  readonly attempt: number;
  readonly turn: InteractionResult;
}

/** A person's verdict on the reply that is shown. It was not chosen at random, so it corrects no score. */
export function JudgeReply(props: JudgeReplyProps) {
  const [open, setOpen] = useState(false);
  if (props.turn.error) return null;
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Judge
      </button>
      {open && <JudgeReplyDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function JudgeReplyDialog({ scenarioId, attempt, turn, onClose }: JudgeReplyProps & { readonly onClose: () => void }) {
  const runId = fromSegment(usePathSegments()[1] ?? "");
  const [rater, setRater] = useState(readRater);
  const [comment, setComment] = useState("");
  const store = useMutation({
    mutationFn: async (choice: string) => {
      const name = rater.trim();
      // Without a typed name, the service uses the owner of the key.
      if (name !== "") keepRater(name);
      const place = { scenario_id: scenarioId, attempt, turn_index: turn.turn_index, question: "review" };
      const verdict = { ...place, choice, ...(comment.trim() !== "" && { comment }) };
      return sendVerdicts(runId, { ...(name !== "" && { rater: name }), sampling: "picked", verdicts: [verdict] });
    },
    onSuccess: onClose,
  });
  const isNameless = store.isError && toApiError(store.error).fields.some(({ pointer }) => pointer.endsWith("/rater"));
  return (
    <ModalDialog title="Is this a good reply?" onClose={onClose}>
      <label className="grid gap-1">
        Your name
        <input
          className="field"
          maxLength={100}
          autoComplete="name"
          aria-invalid={isNameless}
          value={rater}
          onChange={({ target }) => setRater(target.value)}
        />
      </label>
      <label className="grid gap-1">
        Comment (optional)
        <textarea
          className="field min-h-16"
          maxLength={10_000}
          value={comment}
          onChange={({ target }) => setComment(target.value)}
        />
      </label>
      {store.error && <FailedNotice error={store.error} />}
      <div role="group" aria-label="Your verdict" className="flex flex-wrap gap-2">
        {["pass", "partial", "fail"].map((choice) => (
          <button
            key={choice}
            type="button"
            className="button"
            aria-disabled={store.isPending}
            onClick={() => store.isPending || store.mutate(choice)}
          >
            {choice}
          </button>
        ))}
      </div>
    </ModalDialog>
  );
}
