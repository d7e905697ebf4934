const entries = [
  { outcome: "passed", mark: "", words: "passed" },
  { outcome: "failed", mark: "×", words: "failed" },
  { outcome: "errored", mark: "!", words: "request failed" },
  { outcome: "unscored", mark: "·", words: "not scored" },
  { outcome: "waiting", mark: "", words: "not run" },
  { outcome: "unfinished", mark: "…", words: "not finished" },
] as const;

export function GridLegend() {
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-soft">
      <span>One square per attempt, filled as high as its overall score:</span>
      {entries.map((entry) => (
        <span key={entry.outcome} className="inline-flex items-center gap-1.5">
          <span aria-hidden className={`attempt-square ${entry.outcome} size-4! text-xs!`}>
            <span className="fill h-3/5" />
            <span className="mark">{entry.mark}</span>
          </span>
          {entry.words}
        </span>
      ))}
    </p>
  );
}
