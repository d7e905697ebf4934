import { useQuery } from "@tanstack/react-query";
import type { Run } from "../../../src/contract/schemas/run.ts";
import type { ScoreAgreement } from "../../../src/contract/schemas/judging/score-agreement.ts";
import { fetchScoreAgreement } from "../../api/runs.ts";
import { scoreLabel } from "../../parts/runs/scores.ts";
import { formatCount, formatEffect } from "../../parts/text/format.ts";

/** How each score orders replies compared with people. Shown only when people have judged replies of the run. */
export function PeopleAgreement({ run }: { run: Run }) {
  const { data } = useQuery({
    queryKey: ["score agreement", run.run_id],
    queryFn: ({ signal }) => fetchScoreAgreement(run.run_id, signal),
    retry: false,
  });
  if (!data || data.verdicts === 0) return null;
  return (
    <section aria-label="Agreement with people" className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 className="font-semibold">Agreement with people</h2>
      {data.scores.every(({ correlation }) => correlation === null) ? (
        <p className="panel p-4 text-sm text-soft">
          Not measured yet: {[...new Set(data.scores.map(({ method }) => method.replace(/^none: /, "")))].join("; ")}.
        </p>
      ) : (
        <AgreementTable scores={data.scores} />
      )}
      <p className="text-sm text-soft">
        From {formatCount(data.verdicts, "verdict")}. 1 means that a score orders replies as people do; prefer such a
        score as your headline. {data.notes.join(" ")}
      </p>
    </section>
  );
}

function AgreementTable({ scores }: { readonly scores: readonly ScoreAgreement[] }) {
  return (
    <table className="data-table card-table">
      <caption className="sr-only">Rank correlation of each score with people's verdicts</caption>
      <thead>
        <tr>
          <th scope="col">Score</th>
          <th scope="col" className="number">
            Rank correlation
          </th>
          <th scope="col">95 % interval</th>
          <th scope="col" className="number">
            Replies
          </th>
        </tr>
      </thead>
      <tbody>
        {scores.map((score) => (
          <tr key={score.score}>
            <th scope="row" className="verbatim">
              {scoreLabel(score.score)}
            </th>
            <td className="number" data-label="Rank correlation">
              {score.correlation === null ? "–" : formatEffect(score.correlation)}
            </td>
            <td data-label="95 % interval">{intervalText(score)}</td>
            <td className="number" data-label="Replies">
              {score.replies}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const intervalText = ({ ci_lower, ci_upper, method }: ScoreAgreement): string =>
  ci_lower === null || ci_upper === null ? method : `${formatEffect(ci_lower)} to ${formatEffect(ci_upper)}`;
