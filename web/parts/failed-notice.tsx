import { CircleAlert, RotateCw } from "lucide-react";
import { isKeyRefused, toApiError } from "../api-error.ts";
import { ApiKeyForm } from "./api-key-form.tsx";
import { FieldProblemList } from "./field-problem-list.tsx";
import { SuggestionText } from "./suggestion-text.tsx";

interface FailedNoticeProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** What is wrong stands beside the fields it is about. */
  readonly marked?: boolean;
}

/** What went wrong, in plain words, and the next thing to try. */
export function FailedNotice({ error, onRetry, marked = false }: FailedNoticeProps) {
  const { message, detail, hint, code, requestId, suggestions, fields, status } = toApiError(error);
  const listed = fields.length > 0;
  return (
    <div role="alert" className="grid gap-1.5 rounded-lg border border-bad bg-bad-ground p-3 text-ink">
      <p className="flex items-start gap-2 font-semibold text-bad">
        <CircleAlert aria-hidden size={17} className="mt-0.5 shrink-0" />
        {message}
      </p>
      {detail && detail !== message && !listed && <p className="verbatim text-sm">{detail}</p>}
      {listed && !marked && <FieldProblemList problems={fields} />}
      <SuggestionText suggestions={suggestions} />
      {hint && (
        <p className="text-sm">
          <span className="font-semibold">Next: </span>
          {listed && marked ? "Correct what is marked, and try again." : hint}
        </p>
      )}
      {isKeyRefused(error) && <ApiKeyForm onSaved={onRetry} />}
      <p className="flex flex-wrap items-center gap-3 text-xs text-soft">
        {onRetry && status !== 404 && (
          <button type="button" className="button" onClick={onRetry}>
            <RotateCw aria-hidden size={14} /> Try again
          </button>
        )}
        <span className="mono">{code}</span>
        {requestId && <span className="mono">request {requestId}</span>}
      </p>
    </div>
  );
}
