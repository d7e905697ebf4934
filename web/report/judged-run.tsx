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

/**
 * The gates of the command that made this report, and its comparison with the baseline: its exit code depends on them. Those that
 * failed come first; the others are folded, so that the run stays in sight.
 */
export function JudgedRunView({ judged: { judgements, scores } }: { judged: JudgedRun }) {
  if (judgements.length === 0) return null;
  const isBad = ({ outcome }: Judgement): boolean => outcome === "failed" || outcome === "error";
  const gates = judgements.filter(({ outcome }) => outcome !== "told");
  const failed = judgements.filter(isBad);
  const passed = gates.filter(({ outcome }) => outcome === "passed").length;
  const undecided = gates.length - passed - failed.length;
  const open = undecided > 0 ? `, ${undecided} undecided` : "";
  const title = failed.length > 0 ? "Gates failed" : `${passed} of ${gates.length} gates passed${open}`;
  const tone = failed.length > 0 ? "text-bad" : undecided > 0 ? "text-warn" : "text-good";
  return (
    <section aria-label="Gates" className="border-b border-line bg-surface">
      <div className="mx-auto grid w-full max-w-7xl gap-1 px-4 py-2 text-sm sm:px-6">
        {gates.length > 0 && <h2 className={`font-semibold ${tone}`}>{title}</h2>}
        <JudgementList judgements={failed} />
        {judgements.length > failed.length && (
          <details>
            <summary className="text-soft">
              {failed.length > 0 ? "Other gates" : "Gates"}{" "}
              {scores.length > 0 && "and the comparison with the baseline"}
            </summary>
            <JudgementList judgements={judgements.filter((each) => !isBad(each))} />
            <ScoreTable scores={scores} />
          </details>
        )}
      </div>
    </section>
  );
}

type Judgement = JudgedRun["judgements"][number];

function JudgementList({ judgements }: { judgements: readonly Judgement[] }) {
  return (
    <ul className="grid gap-1">
      {judgements.map(({ name, outcome, message }) => (
        <li key={`${name} ${message}`} className="flex gap-2">
          <span className={`w-20 shrink-0 font-medium ${outcomes[outcome].tone}`}>{outcomes[outcome].word}</span>
          <span className="verbatim tabular-nums">{formatSentence(message)}</span>
        </li>
      ))}
    </ul>
  );
}

function ScoreTable({ scores }: Pick<JudgedRun, "scores">) {
  if (scores.length === 0) return null;
  return (
    <div className="overflow-x-auto" role="region" aria-label="Scores and baseline" tabIndex={0}>
      <table className="mt-1 tabular-nums">
        <thead>
          <tr className="text-left text-soft">
            {["Score", "Baseline", "This run", "Change", "Verdict"].map((name) => (
              <th key={name} scope="col" className="pr-4 font-normal">
                {name}
              </th>
            ))}
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
    </div>
  );
}

function signed(value: number): string {
  const text = formatFigure(Math.abs(value));
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}
