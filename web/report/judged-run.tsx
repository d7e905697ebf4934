import { formatFigure } from "../../src/base/numbers.ts";
import { formatSentence } from "../parts/text/format.ts";
import type { JudgedRun } from "./stand-ins.tsx";

const outcomes = {
  passed: { word: "passed", tone: "text-good" },
  failed: { word: "failed", tone: "text-bad" },
  error: { word: "error", tone: "text-bad" },
  undecided: { word: "undecided", tone: "text-warn" },
  told: { word: "baseline", tone: "text-soft" },
} as const;

/** The gates of the command that made this report, and its comparison with the baseline: what its exit code depends on. */
export function JudgedRunView({ judged: { judgements, scores } }: { judged: JudgedRun }) {
  if (judgements.length === 0) return null;
  const failed = judgements.some(({ outcome }) => outcome === "failed" || outcome === "error");
  return (
    <section aria-label="Gates" className="grid gap-2 border-b border-line bg-surface px-4 py-3 sm:px-6">
      <h2 className={`font-semibold ${failed ? "text-bad" : ""}`}>{failed ? "Gates failed" : "Gates"}</h2>
      <ul className="grid gap-1 text-sm">
        {judgements.map(({ name, outcome, message }) => (
          <li key={`${name} ${message}`} className="flex gap-2">
            <span className={`w-20 shrink-0 font-medium ${outcomes[outcome].tone}`}>{outcomes[outcome].word}</span>
            <span className="verbatim tabular-nums">{formatSentence(message)}</span>
          </li>
        ))}
      </ul>
      {scores.length > 0 && (
        <details>
          <summary className="text-sm">Scores and baseline</summary>
          <table className="mt-1 text-sm tabular-nums">
            <thead>
              <tr className="text-left text-soft">
                <th className="pr-4 font-normal">Score</th>
                <th className="pr-4 font-normal">Baseline</th>
                <th className="pr-4 font-normal">This run</th>
                <th className="pr-4 font-normal">Change</th>
                <th className="font-normal">Verdict</th>
              </tr>
            </thead>
            <tbody>
              {scores.map(({ name, baseline, candidate, effect, verdict }) => (
                <tr key={name}>
                  <td className="verbatim pr-4">{name}</td>
                  <td className="pr-4">{formatFigure(baseline)}</td>
                  <td className="pr-4">{formatFigure(candidate)}</td>
                  <td className="pr-4">{signed(effect)}</td>
                  <td>{verdict.replaceAll("_", " ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </section>
  );
}

function signed(value: number): string {
  const text = formatFigure(Math.abs(value));
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}
