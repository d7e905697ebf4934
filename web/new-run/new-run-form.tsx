import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { PageConfig } from "../../src/contract/schemas/service-info.ts";
import { startRun } from "../api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { isLong } from "../parts/long-text.ts";
import { runPath } from "../parts/paths.ts";
import { useFieldProblems } from "../parts/use-field-problems.ts";
import { AdvancedFields } from "./advanced-fields.tsx";
import { buildRequest } from "./build-request.ts";
import { fieldPointer, problemsElsewhere, problemsOf } from "./field-places.ts";
import { agentTarget, sampleText } from "./first-draft.ts";
import { LibraryChanges } from "./library-changes.tsx";
import { parseScenarios } from "./parse-scenarios.ts";
import { RequestPreview } from "./request-preview.tsx";
import { isWhole, saveDraft, type RunDraft } from "./run-draft.ts";
import { ScenarioField } from "./scenario-field.tsx";
import { newFields } from "./split-request.ts";
import { TargetFields } from "./target-fields.tsx";
import { RunEstimate } from "./run-estimate.tsx";
import { RunFields } from "./run-fields.tsx";

const mutationKey = ["start-run"];

interface NewRunFormProps {
  readonly config: PageConfig;
  readonly first: RunDraft;
  /** The run that is repeated, if one is. */
  readonly from: string | null;
}

export function NewRunForm({ config, first, from }: NewRunFormProps) {
  const [draft, setDraft] = useState(first);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  /** Writing out a large suite takes long: that waits while keys are pressed. */
  const deferred = useDeferredValue(draft);
  const settled = isLong(draft.scenarios) ? deferred : draft;
  const request = useMemo(() => buildRequest(settled), [settled]);
  useEffect(() => saveDraft(settled), [settled]);

  const start = useMutation({
    mutationKey,
    mutationFn: () => startRun(JSON.stringify(buildRequest(draft))),
    onSuccess: (run) => {
      void client.invalidateQueries({ queryKey: ["runs"] });
      navigate(runPath(run.run_id));
    },
  });
  const { problems, open, forget } = useFieldProblems(start.error);
  const elsewhere = problemsElsewhere(problems);
  const change = (changes: Partial<RunDraft>): void => {
    setDraft((current) => ({ ...current, ...changes }));
    for (const name of Object.keys(changes)) forget(fieldPointer(name as keyof RunDraft));
  };

  /** The request last read from the text, so that typing there does not undo what was typed into the fields. */
  const pasted = useRef(requestIn(first.scenarios) ?? {});
  const changeScenarios = (scenarios: string): void => {
    const found = requestIn(scenarios);
    change({ scenarios, ...(found && newFields(pasted.current, found)) });
    for (const { pointer } of elsewhere) forget(pointer);
    if (found) pasted.current = found;
  };

  /** The example is to be tried: without a target of one's own, the agent behind this page is taken. */
  const takeExample = (): void => {
    changeScenarios(sampleText);
    if (draft.endpoint.trim() === "" && draft.model.trim() === "") change(agentTarget(config));
  };

  const form = { draft, onChange: change, problems };

  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // A second click may come before the button could be drawn as pressed: no run is started twice.
        if (client.isMutating({ mutationKey }) === 0) start.mutate();
      }}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <TargetFields form={form} config={config} />
        {from !== null && <LibraryChanges from={from} text={draft.scenarios} onChange={changeScenarios} />}
        <ScenarioField
          text={draft.scenarios}
          onChange={changeScenarios}
          onExample={takeExample}
          problems={[...problemsOf(problems, "scenarios"), ...elsewhere]}
        />
        <RunFields form={form} />
        <AdvancedFields form={form} />
        {isWhole(settled) && <RunEstimate request={request} refused={open} />}
        {open && <FailedNotice error={start.error} marked />}
        {/* Not disabled, which would take the focus away. */}
        <button className="button button-primary justify-self-start" aria-disabled={start.isPending}>
          <Play aria-hidden size={15} /> {start.isPending ? "Starting …" : "Start run"}
        </button>
      </div>
      <RequestPreview request={request} evaluation={config.evaluation} />
    </form>
  );
}

/** What a text says beside its scenarios; null while it cannot be read. */
function requestIn(text: string): Readonly<Record<string, unknown>> | null {
  const parsed = parseScenarios(text);
  return parsed.kind === "parsed" ? parsed.request : null;
}
