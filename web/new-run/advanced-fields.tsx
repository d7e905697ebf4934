import { problemsAt, type FieldProblem } from "../parts/field-problems.ts";
import { TextField } from "../parts/text-field.tsx";
import type { RunDraft } from "./run-draft.ts";

interface AdvancedFieldsProps {
  readonly draft: RunDraft;
  readonly onChange: (changes: Partial<RunDraft>) => void;
  readonly problems: readonly FieldProblem[];
}

const pointers = ["/history", "/threshold", "/scorers", "/parameters", "/concurrency", "/budget", "/judge"];

/** What most runs leave as it is. Open when the service has something to say about it. */
export function AdvancedFields({ draft, onChange, problems }: AdvancedFieldsProps) {
  const concerned = pointers.some((pointer) => problemsAt(problems, pointer).length > 0);
  return (
    <details className="panel" open={concerned || undefined}>
      <summary className="px-4 py-2.5 text-sm font-medium">Advanced: history, scores, judge, limits</summary>
      <div className="grid gap-3 border-t border-line p-4 sm:grid-cols-2">
        <label className="grid content-start gap-1 text-sm font-medium">
          History the model sees
          <select
            className="field font-normal"
            value={draft.history}
            onChange={(event) => onChange({ history: event.target.value })}
          >
            <option value="">its own replies (default)</option>
            <option value="reference">the reference replies</option>
            <option value="both">both ways, and the gap between them</option>
          </select>
        </label>
        <TextField
          label="Threshold"
          inputMode="decimal"
          placeholder="0.8"
          hint="The overall score from which a turn is good."
          value={draft.threshold}
          problems={problemsAt(problems, "/threshold")}
          onText={(threshold) => onChange({ threshold })}
        />
        <TextField
          label="Scores (comma separated)"
          placeholder="the usual set"
          hint="token_f1, rouge_l, exact_match, edit_similarity, chrf, semantic_similarity …"
          value={draft.scorers}
          problems={problemsAt(problems, "/scorers")}
          onText={(scorers) => onChange({ scorers })}
        />
        <TextField
          label="Temperature"
          inputMode="decimal"
          placeholder="the endpoint's own"
          value={draft.temperature}
          problems={problemsAt(problems, "/parameters")}
          onText={(temperature) => onChange({ temperature })}
        />
        <TextField
          label="Calls at once"
          inputMode="numeric"
          placeholder="the service's limit"
          value={draft.concurrency}
          problems={problemsAt(problems, "/concurrency")}
          onText={(concurrency) => onChange({ concurrency })}
        />
        <TextField
          label="Spend at most (US dollars)"
          inputMode="decimal"
          placeholder="no cap"
          value={draft.money}
          problems={problemsAt(problems, "/budget")}
          onText={(money) => onChange({ money })}
        />
        <JudgeFields draft={draft} onChange={onChange} problems={problems} />
      </div>
    </details>
  );
}

/** A model that reads every reply. Any of these fields turns it on. */
function JudgeFields({ draft, onChange, problems }: AdvancedFieldsProps) {
  return (
    <fieldset className="grid gap-3 sm:col-span-2 sm:grid-cols-2">
      <legend className="mb-2 text-sm font-semibold">
        Judge <span className="font-normal text-soft">(off while all of these are empty)</span>
      </legend>
      <TextField
        label="Judge model"
        placeholder="the operator's"
        value={draft.judgeModel}
        problems={problemsAt(problems, "/judge/model_id")}
        onText={(judgeModel) => onChange({ judgeModel })}
      />
      <TextField
        label="Judge endpoint"
        placeholder="the operator's"
        value={draft.judgeEndpoint}
        problems={problemsAt(problems, "/judge/endpoint")}
        onText={(judgeEndpoint) => onChange({ judgeEndpoint })}
      />
      <TextField
        label="Question to the judge"
        placeholder="Is the reply right by the reference?"
        value={draft.judgeRubric}
        problems={problemsAt(problems, "/judge/rubric")}
        onText={(judgeRubric) => onChange({ judgeRubric })}
      />
      <TextField
        label="Votes per reply"
        inputMode="numeric"
        placeholder="1"
        value={draft.judgeVotes}
        problems={problemsAt(problems, "/judge/votes")}
        onText={(judgeVotes) => onChange({ judgeVotes })}
      />
    </fieldset>
  );
}
