import { CircleAlert, RotateCw } from "lucide-react";
import type { Warning } from "../../../src/contract/errors/problem.ts";
import { useUnreachable } from "../../api/connection.ts";
import { isAuthError, toApiError } from "../../api/api-error.ts";
import { ApiKeyForm } from "../forms/api-key-form.tsx";
import { fieldProblemText, pointerLabel, receivedText, type FieldProblem } from "../forms/field-problems.ts";

interface FailedNoticeProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** Set when the invalid fields themselves show their problems. */
  readonly marked?: boolean;
}

/** A failed request: the cause, the next step, and a key form or retry button where they help. */
export function FailedNotice({ error, onRetry, marked = false }: FailedNoticeProps) {
  const { message, detail, hint, code, requestId, suggestions, fields, status } = toApiError(error);
  const away = useUnreachable() !== null;
  // The banner above all screens says so already, and tries again.
  if (away && onRetry && code === "service_unreachable") return null;
  const listed = fields.length > 0;
  const highlighted = listed && marked;
  return (
    <div role="alert" className="grid gap-1.5 rounded-lg border border-bad bg-bad-ground p-3 text-ink">
      <p className="flex items-start gap-2 font-semibold text-bad">
        <CircleAlert aria-hidden size={17} className="mt-0.5 shrink-0" />
        {highlighted ? "Check the highlighted fields" : message}
      </p>
      {detail && detail !== message && !listed && <p className="verbatim text-sm">{detail}</p>}
      {listed && !marked && <FieldProblemList problems={fields} />}
      <SuggestionText suggestions={suggestions} />
      <NextStep hint={highlighted ? "Correct them and try again." : hint} />
      {isAuthError(error) && <ApiKeyForm onSaved={onRetry} />}
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

interface FailureTextProps {
  readonly failure: {
    readonly message: string;
    readonly detail: string;
    readonly hint: string;
    readonly suggestions?: readonly string[];
  };
}

/** The text of a stored failure, without actions. */
export function FailureText({ failure: { message, detail, hint, suggestions = [] } }: FailureTextProps) {
  return (
    <>
      <p className="flex items-center gap-1.5 font-semibold text-bad">
        <CircleAlert aria-hidden size={15} className="shrink-0" />
        {message}
      </p>
      {detail && <p className="verbatim">{detail}</p>}
      <SuggestionText suggestions={suggestions} />
      <NextStep hint={hint} />
    </>
  );
}

function SuggestionText({ suggestions }: { suggestions: readonly string[] }) {
  if (suggestions.length === 0) return null;
  return <p className="verbatim text-sm">Did you mean {suggestions.join(", ")}?</p>;
}

function NextStep({ hint }: { hint: string }) {
  if (hint === "") return null;
  return (
    <p className="text-sm">
      <span className="font-semibold">Next: </span>
      {hint}
    </p>
  );
}

/** Field problems with their places in the request. */
export function FieldProblemList({ problems }: { problems: readonly FieldProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul className="grid gap-1 text-sm">
      {problems.map((problem) => {
        const place = pointerLabel(problem.pointer);
        const received = receivedText(problem);
        return (
          <li key={`${problem.pointer} ${problem.code}`} className="verbatim text-bad">
            ✕ {place !== "" && <span className="font-medium">{place}: </span>}
            {fieldProblemText(problem)}
            {received !== null && <span className="text-soft"> (got {received})</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** Warnings about settings that have no effect, or a surprising one. */
export function WarningList({ warnings = [] }: { warnings?: readonly Warning[] | undefined }) {
  if (warnings.length === 0) return null;
  return (
    <ul aria-label="Warnings" className="grid gap-1 rounded-md bg-warn-ground p-3 text-sm text-warn">
      {warnings.map(({ pointer, message, suggestion }) => (
        <li key={`${pointer} ${message}`} className="verbatim">
          ⚠ <span className="mono">{pointer}</span> {message}
          {suggestion && `. Did you mean ${suggestion}?`}
        </li>
      ))}
    </ul>
  );
}
