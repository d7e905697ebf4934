import { useQueryClient } from "@tanstack/react-query";
import { Unplug } from "lucide-react";
import { useEffect, useRef } from "react";
import { probe, useUnreachable } from "../api/connection.ts";
import { useVisible } from "../parts/browser/page-state.ts";

const probeMs = 2000;

/** One quiet line while a service does not answer. Tries again by itself, and then reloads everything on screen. */
export function ConnectionBanner() {
  const origin = useUnreachable();
  const visible = useVisible();
  const client = useQueryClient();
  const wasAway = useRef(false);

  useEffect(() => {
    if (origin === null && wasAway.current) void client.invalidateQueries();
    wasAway.current = origin !== null;
  }, [client, origin]);

  useEffect(() => {
    if (origin === null || !visible) return;
    const timer = setInterval(() => void probe(origin), probeMs);
    return () => clearInterval(timer);
  }, [origin, visible]);

  return (
    <div role="status" className="no-print sticky top-0 z-20">
      {origin !== null && (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-sunken px-4 py-2 text-sm sm:px-6">
          <Unplug aria-hidden size={15} className="shrink-0 text-warn" />
          <span className="min-w-0 flex-1 basis-64 break-words">
            <span className="font-semibold">Cannot reach the service</span> at <span className="mono">{origin}</span>.
            Check that Rehearsal is running. This page reconnects by itself.
          </span>
          <button type="button" className="button" onClick={() => void probe(origin)}>
            Try again
          </button>
        </p>
      )}
    </div>
  );
}
