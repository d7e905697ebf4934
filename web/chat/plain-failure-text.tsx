import { CircleAlert } from "lucide-react";
import { SuggestionText } from "../parts/suggestion-text.tsx";
import type { PlainFailure } from "./conversation.ts";

/** What went wrong with an answer, and the next thing to try. */
export function PlainFailureText({ failure }: { failure: PlainFailure }) {
  return (
    <>
      <p className="flex items-center gap-1.5 font-semibold text-bad">
        <CircleAlert aria-hidden size={15} className="shrink-0" />
        {failure.message}
      </p>
      {failure.detail && <p className="verbatim">{failure.detail}</p>}
      {failure.suggestions && <SuggestionText suggestions={failure.suggestions} />}
      {failure.hint && (
        <p>
          <span className="font-semibold">Next: </span>
          {failure.hint}
        </p>
      )}
    </>
  );
}
