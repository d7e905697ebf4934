import { CircleAlert, RotateCw } from "lucide-react";
import { toApiError } from "../api-error.ts";
import { ApiKeyForm } from "./api-key-form.tsx";

/** What went wrong, in plain words, and the next thing to try. */
export function FailedNotice({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const { message, detail, hint, code, requestId, suggestions } = toApiError(error);
  return (
    <div role="alert" className="grid gap-1.5 rounded-lg border border-bad bg-bad-ground p-3 text-ink">
      <p className="flex items-start gap-2 font-semibold text-bad">
        <CircleAlert aria-hidden size={17} className="mt-0.5 shrink-0" />
        {message}
      </p>
      {detail && detail !== message && <p className="verbatim text-sm">{detail}</p>}
      {suggestions.length > 0 && <p className="text-sm">Did you mean {suggestions.join(", ")}?</p>}
      {hint && (
        <p className="text-sm">
          <span className="font-semibold">Next: </span>
          {hint}
        </p>
      )}
      {code.startsWith("auth_") && <ApiKeyForm onSaved={onRetry} />}
      <p className="flex flex-wrap items-center gap-3 text-xs text-soft">
        {onRetry && (
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
