import { CircleAlert } from "lucide-react";
import { Link } from "wouter";
import { usePathname } from "wouter/use-browser-location";
import type { EvaluationResponse } from "../../src/contract/schemas/evaluation-response.ts";
import type { FailureCause, Run } from "../../src/contract/schemas/run.ts";
import { errorText } from "../api/api-error.ts";
import { failedTurns, replyHealth } from "../parts/runs/run-facts.ts";
import { formatCount, formatInteger } from "../parts/text/format.ts";
import { digestResults } from "./summary/run-digest.ts";

/** Shown first when half of the requests or more failed: the cause, and the fix. */
export function NoReplyBanner({ run, results }: { run: Run; results: EvaluationResponse | undefined }) {
  const path = usePathname();
  if (replyHealth(run) !== "bad") return null;
  const { failed, of } = failedTurns(run);
  const [cause, ...others] = causesOf(run, results);
  return (
    <section
      aria-label="Missing replies"
      className="grid gap-1 rounded-lg border border-bad bg-bad-ground p-4 text-ink"
    >
      <h2 className="flex items-start gap-2 text-lg font-semibold text-infra">
        <CircleAlert aria-hidden size={20} className="mt-1 shrink-0" />
        <span className="verbatim">{cause ? causeTitle(cause.code, run.endpoint) : "Most requests got no reply"}</span>
      </h2>
      <p>
        {failed === of ? "None" : `Only ${formatInteger(of - failed)}`} of {formatCount(of, "request")}{" "}
        {failed === of ? "was" : "were"} answered. These results say nothing about the model.
      </p>
      {cause && (
        <>
          <p className="verbatim text-sm">{cause.detail}</p>
          <p>
            <span className="font-semibold">Fix: </span>
            {errorText(cause.code).hint}
          </p>
        </>
      )}
      <p className="text-sm">
        {others.length > 0 && `${formatCount(others.length, "other cause")}. `}
        <Link href={`${path}?tab=failures`} className="link">
          Show failed requests
        </Link>
      </p>
    </section>
  );
}

/** Runs of earlier versions have no causes in their summary; for a large one they are read under "Errors". */
function causesOf({ summary }: Run, results: EvaluationResponse | undefined): readonly FailureCause[] {
  const stored = summary?.failures ?? results?.summary.failures;
  if (stored || !results) return stored ?? [];
  return digestResults(results).failures.map(({ count, example }) => ({
    code: example.code,
    count,
    detail: example.detail,
  }));
}

const titles: Partial<Record<string, (endpoint: string) => string>> = {
  upstream_unreachable: (endpoint) => `No model at ${endpoint} accepted connections`,
  upstream_dns: (endpoint) => `The host name of ${endpoint} does not resolve`,
  upstream_auth: (endpoint) => `${endpoint} refused the key`,
  upstream_timeout: (endpoint) => `${endpoint} did not answer in time`,
  upstream_rate_limited: (endpoint) => `${endpoint} limits the rate of requests`,
};

const causeTitle = (code: string, endpoint: string): string => titles[code]?.(endpoint) ?? errorText(code).title;
