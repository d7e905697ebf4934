import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleAlert, Gauge, Play } from "lucide-react";
import { memo, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { PageConfig } from "../../src/contract/schemas/shared/service-info.ts";
import type { ApiError } from "../api/api-error.ts";
import { apiKey } from "../api/http.ts";
import { fetchEstimate, isForbiddenEndpoint, submitRun } from "../api/runs.ts";
import { CopyButton } from "../parts/text/copy-button.tsx";
import { FailedNotice, WarningList } from "../parts/screen/notices.tsx";
import { isLong } from "../parts/text/long-text.ts";
import { runPath } from "../parts/address/paths.ts";
import { useFieldProblems } from "../parts/forms/field-problems.ts";
import { AdvancedFields, RunFields, TargetFields } from "./draft-fields.tsx";
import { agentTarget, sampleText } from "./initial-draft.ts";
import { isComplete, saveDraft, type RunDraft } from "./run-draft.ts";
import {
  buildRequest,
  changedFields,
  curlCommand,
  fieldPointer,
  problemsOf,
  problemsOutsideForm,
} from "./run-request.ts";
import { LibraryChanges, ScenarioField } from "./scenario-field.tsx";
import { parseScenarios } from "./scenario-text.ts";

const mutationKey = ["start-run"];

interface NewRunFormProps {
  readonly config: PageConfig;
  readonly first: RunDraft;
  /** The run to repeat, if any. */
  readonly from: string | null;
}

export function NewRunForm({ config, first, from }: NewRunFormProps) {
  const [draft, setDraft] = useState(first);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  // Serializing a large suite is slow, so it waits until typing pauses.
  const deferred = useDeferredValue(draft);
  const settled = isLong(draft.scenarios) ? deferred : draft;
  const request = useMemo(() => buildRequest(settled), [settled]);
  useEffect(() => saveDraft(settled), [settled]);

  const start = useMutation({
    mutationKey,
    mutationFn: () => submitRun(JSON.stringify(buildRequest(draft))),
    onSuccess: (run) => {
      void client.invalidateQueries({ queryKey: ["runs"] });
      navigate(runPath(run.run_id));
    },
  });
  const { problems, open, forget } = useFieldProblems(start.error);
  const elsewhere = problemsOutsideForm(problems);
  const change = (changes: Partial<RunDraft>): void => {
    setDraft((current) => ({ ...current, ...changes }));
    for (const name of Object.keys(changes)) forget(fieldPointer(name as keyof RunDraft));
  };

  // The request last parsed from the text: editing the text must not overwrite edited fields.
  const pasted = useRef(requestIn(first.scenarios) ?? {});
  const changeScenarios = (scenarios: string): void => {
    const found = requestIn(scenarios);
    change({ scenarios, ...(found && changedFields(pasted.current, found)) });
    for (const { pointer } of elsewhere) forget(pointer);
    if (found) pasted.current = found;
  };

  // An example should run at once: without a target, it uses the agent that serves this page.
  const fillExample = (): void => {
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
        // A second click may arrive before the next render, and must not start a second run.
        if (client.isMutating({ mutationKey }) === 0) start.mutate();
      }}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <TargetFields form={form} config={config} />
        {from !== null && <LibraryChanges from={from} text={draft.scenarios} onChange={changeScenarios} />}
        <ScenarioField
          text={draft.scenarios}
          onChange={changeScenarios}
          onExample={fillExample}
          problems={[...problemsOf(problems, "scenarios"), ...elsewhere]}
        />
        <RunFields form={form} />
        <AdvancedFields form={form} />
        {isComplete(settled) && <RunEstimate request={request} refused={open} />}
        {open && <FailedNotice error={start.error} marked />}
        {/* A disabled button would lose the focus. */}
        <button className="button button-primary justify-self-start" aria-disabled={start.isPending}>
          <Play aria-hidden size={15} /> {start.isPending ? "Starting …" : "Start run"}
        </button>
      </div>
      <RequestPreview request={request} evaluation={config.evaluation} />
    </form>
  );
}

/** The values of a pasted request other than its scenarios; null if the text cannot be parsed. */
function requestIn(text: string): Readonly<Record<string, unknown>> | null {
  const parsed = parseScenarios(text);
  return parsed.kind === "parsed" ? parsed.request : null;
}

interface RunEstimateProps {
  readonly request: Readonly<Record<string, unknown>>;
  /** True while the form shows why the service refused the request. */
  readonly refused: boolean;
}

/** The service's estimate of calls, time and cost; empty while the request is invalid. */
const RunEstimate = memo(function RunEstimate({ request, refused }: RunEstimateProps) {
  const [settled, setSettled] = useState(() => JSON.stringify(request));
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.stringify(request)), 400);
    return () => clearTimeout(timer);
  }, [request]);
  const estimate = useQuery({
    queryKey: ["estimate", settled],
    queryFn: ({ signal }) => fetchEstimate(settled, signal),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 60_000,
  });
  if (isForbiddenEndpoint(estimate.error) && !refused) return <ForbiddenEndpoint error={estimate.error} />;
  if (!estimate.data || estimate.isError) return null;
  const { sentence, based_on, within_budget, warnings } = estimate.data;
  return (
    <div role="status" className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="flex items-start gap-2 text-sm">
        <Gauge aria-hidden size={16} className="mt-0.5 shrink-0 text-soft" />
        <span className="verbatim">
          {sentence} {!sentence.includes(based_on) && <span className="text-soft">Based on {based_on}.</span>}
          {within_budget === false && <span className="font-semibold text-warn"> Exceeds the budget.</span>}
        </span>
      </p>
      <WarningList warnings={warnings} />
    </div>
  );
});

/** Warns before the start that the service would refuse this endpoint. */
function ForbiddenEndpoint({ error: { detail, hint } }: { error: ApiError }) {
  return (
    <p role="status" className="flex items-start gap-2 text-sm">
      <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-warn" />
      <span className="verbatim">
        <span className="font-semibold">This run would be refused.</span> {detail} {hint}
      </span>
    </p>
  );
}

/** Limits the text on screen only; the copied and the sent request are complete. */
const shownCharacters = 6000;

interface RequestPreviewProps {
  readonly request: Readonly<Record<string, unknown>>;
  readonly evaluation: string;
}

const RequestPreview = memo(function RequestPreview({ request, evaluation }: RequestPreviewProps) {
  const url = new URL("/evaluate", evaluation).href;
  const body = JSON.stringify(request, null, 2);
  return (
    <section aria-label="Request" className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4 lg:sticky lg:top-6">
      <div className="flex flex-wrap items-center justify-between gap-1">
        <h2 className="text-sm font-semibold">
          <span className="mono">POST /evaluate</span>
        </h2>
        <span className="flex gap-1">
          <CopyButton text={body} label="Copy body" />
          <CopyButton text={() => curlCommand(url, request, { guarded: apiKey() !== null })} label="Copy curl" />
        </span>
      </div>
      <pre
        // Scrollable, so it must be reachable by keyboard.
        tabIndex={0}
        aria-label="Request body"
        role="region"
        className="mono verbatim max-h-[60vh] overflow-auto rounded-md bg-sunken p-3"
      >
        {body.length > shownCharacters ? `${body.slice(0, shownCharacters)}\n…` : body}
      </pre>
      <p className="text-xs text-soft">
        Sent to <span className="mono break-all">{url}</span> with <span className="mono">Prefer: respond-async</span>.
      </p>
    </section>
  );
});
