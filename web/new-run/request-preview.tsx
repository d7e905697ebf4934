import { memo } from "react";
import { apiKey } from "../api-key.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { curlLine } from "./curl-line.ts";

/** Long batches are cut on screen; what is copied and sent is whole. */
const shownCharacters = 6000;

interface RequestPreviewProps {
  readonly request: Readonly<Record<string, unknown>>;
  readonly evaluation: string;
}

export const RequestPreview = memo(function RequestPreview({ request, evaluation }: RequestPreviewProps) {
  const url = new URL("/evaluate", evaluation).href;
  const body = JSON.stringify(request, null, 2);
  return (
    <section aria-label="Request" className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4 lg:sticky lg:top-6">
      <div className="flex flex-wrap items-center justify-between gap-1">
        <h2 className="text-sm font-semibold">
          <span className="mono">POST /evaluate</span>
        </h2>
        <span className="flex gap-1">
          <CopyButton text={body} label="Copy body" />
          <CopyButton text={() => curlLine(url, request, { guarded: apiKey() !== null })} label="Copy curl" />
        </span>
      </div>
      <pre
        // A scrolling region must be reachable by keyboard.
        tabIndex={0}
        aria-label="Request body"
        role="region"
        className="mono verbatim max-h-[60vh] overflow-auto rounded-md bg-sunken p-3"
      >
        {body.length > shownCharacters ? `${body.slice(0, shownCharacters)}\n…` : body}
      </pre>
      <p className="text-xs text-soft">
        Sent to <span className="mono break-all">{url}</span> with <span className="mono">Prefer: respond-async</span>.
      </p>
    </section>
  );
});
