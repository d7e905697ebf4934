import { Fragment } from "react";
import type { SettingChange } from "../../src/contract/schemas/comparison.ts";
import { useModelName } from "../parts/use-model-name.ts";
import { DiffText } from "../transcript/diff-text.tsx";
import { useWordDiff } from "../transcript/use-word-diff.ts";

/** What was changed from one run to the other: the cause of a difference, or that there is none but chance. */
export function SettingChanges({ changes }: { changes: readonly SettingChange[] }) {
  const modelName = useModelName();
  if (changes.length === 0) {
    return (
      <p className="text-sm text-soft">
        Both runs asked the same model with the same prompts and parameters: what differs is chance, or was changed
        behind the endpoint.
      </p>
    );
  }
  return (
    <section aria-label="What was changed" className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4 text-sm">
      <h2 className="font-semibold">What was changed</h2>
      <dl className="grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
        {changes.map(({ setting, baseline, candidate }) => (
          <Fragment key={setting}>
            <dt className="mono verbatim text-soft">{setting}</dt>
            <dd className="min-w-0">
              {setting === "model_id" ? (
                <p className="verbatim">
                  {modelName(String(baseline))} → {modelName(String(candidate))}
                </p>
              ) : typeof baseline === "string" && typeof candidate === "string" ? (
                <ChangedText before={baseline} after={candidate} />
              ) : (
                <p className="verbatim">
                  {valueText(baseline)} → {valueText(candidate)}
                </p>
              )}
            </dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

function ChangedText({ before, after }: { before: string; after: string }) {
  const diff = useWordDiff(before, after);
  const parts = diff.state === "done" ? diff.parts : null;
  // Two words that share nothing would run into one: "generatedboth".
  if (parts?.some(({ kind }) => kind === "same")) return <DiffText parts={parts} />;
  return (
    <p className="verbatim">
      {before} → {after}
    </p>
  );
}

function valueText(value: SettingChange["baseline"]): string {
  if (value === null) return "not set";
  return typeof value === "string" ? value : JSON.stringify(value);
}
