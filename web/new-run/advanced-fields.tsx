import { useState } from "react";
import { SelectField } from "../parts/select-field.tsx";
import { DraftField, type DraftForm } from "./draft-field.tsx";
import { problemsOf } from "./field-places.ts";
import type { RunDraft } from "./run-draft.ts";

const names: readonly (keyof RunDraft)[] = [
  "history",
  "threshold",
  "scorers",
  "temperature",
  "concurrency",
  "priority",
  "money",
  "judgeModel",
  "judgeEndpoint",
  "judgeRubric",
  "judgeVotes",
];

const histories = [
  { id: "", label: "its own replies (default)" },
  { id: "reference", label: "the reference replies" },
  { id: "both", label: "both ways, and the gap between them" },
];

/** What most runs leave as it is. Open when the service has something to say about it. */
export function AdvancedFields({ form }: { form: DraftForm }) {
  const concerned = names.some((name) => problemsOf(form.problems, name).length > 0);
  // Open it stays: what was said of a field is gone with the first key, and the field must not go with it.
  const [open, setOpen] = useState(false);
  return (
    <details className="panel" open={open || concerned} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="px-4 py-2.5 text-sm font-medium">Advanced: history, scores, judge, limits</summary>
      <div className="grid gap-3 border-t border-line p-4 sm:grid-cols-2">
        <SelectField
          label="History the model sees"
          options={histories}
          value={form.draft.history}
          problems={problemsOf(form.problems, "history")}
          onChoice={(history) => form.onChange({ history })}
        />
        <DraftField
          form={form}
          name="threshold"
          label="Threshold"
          inputMode="decimal"
          placeholder="0.8"
          hint="The overall score from which a turn is good."
        />
        <DraftField
          form={form}
          name="scorers"
          label="Scores (comma separated)"
          placeholder="the usual set"
          hint="token_f1, rouge_l, exact_match, edit_similarity, chrf, semantic_similarity …"
        />
        <DraftField
          form={form}
          name="temperature"
          label="Temperature"
          inputMode="decimal"
          placeholder="the endpoint's own"
        />
        <DraftField
          form={form}
          name="concurrency"
          label="Calls at once"
          inputMode="numeric"
          placeholder="the service's limit"
        />
        <DraftField
          form={form}
          name="priority"
          label="Priority"
          inputMode="numeric"
          placeholder="0"
          hint="Runs with a higher one go first (-100 to 100)."
        />
        <DraftField
          form={form}
          name="money"
          label="Spend at most (US dollars)"
          inputMode="decimal"
          placeholder="no cap"
        />
        <JudgeFields form={form} />
      </div>
    </details>
  );
}

/** A model that reads every reply. Any of these fields turns it on. */
function JudgeFields({ form }: { form: DraftForm }) {
  return (
    <fieldset className="grid gap-3 sm:col-span-2 sm:grid-cols-2">
      <legend className="mb-2 text-sm font-semibold">
        Judge <span className="font-normal text-soft">(off while all of these are empty)</span>
      </legend>
      <DraftField form={form} name="judgeModel" label="Judge model" placeholder="the operator's" />
      <DraftField form={form} name="judgeEndpoint" label="Judge endpoint" placeholder="the operator's" />
      <DraftField
        form={form}
        name="judgeRubric"
        label="Question to the judge"
        placeholder="Is the reply correct, compared with the reference?"
      />
      <DraftField form={form} name="judgeVotes" label="Votes per reply" inputMode="numeric" placeholder="1" />
    </fieldset>
  );
}
