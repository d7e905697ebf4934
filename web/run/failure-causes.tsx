import { Link } from "wouter";
import { errorWords } from "../parts/error-words.ts";
import { formatCount } from "../parts/format.ts";
import { transcriptPath } from "../parts/paths.ts";
import type { RunDigest } from "./run-digest.ts";

/** Why turns got no reply, by cause, with the first thing to check. */
export function FailureCauses({ runId, digest: { turns, failures } }: { runId: string; digest: RunDigest }) {
  if (failures.length === 0) return <NoFailures turns={turns} />;
  return (
    <ul className="grid gap-3">
      {failures.map((group) => {
        const { title, hint } = errorWords(group.code);
        return (
          <li key={group.code} className="panel grid gap-1 p-4">
            <h2 className="font-semibold">
              <span className="text-bad">! {formatCount(group.count, "turn")}</span> · {title}
            </h2>
            <p className="verbatim text-sm">{group.example.detail}</p>
            <p className="text-sm">
              <span className="font-semibold">Next: </span>
              {hint}
            </p>
            <p className="flex flex-wrap items-baseline gap-x-4 text-xs text-soft">
              <span className="mono">{group.code}</span>
              {group.example.upstream_status !== null && <span>HTTP {group.example.upstream_status}</span>}
              <span>{formatCount(group.example.tries, "try", "tries")}</span>
              <Link href={transcriptPath({ runId, ...group.first })} className="link">
                Show the first one
              </Link>
            </p>
          </li>
        );
      })}
    </ul>
  );
}

export function NoFailures({ turns }: { turns: number }) {
  return <p className="panel p-4 text-soft">{turns === 0 ? "No turn was run." : "Every turn got a reply."}</p>;
}
