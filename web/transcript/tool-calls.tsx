import { CircleCheck, CircleX, TriangleAlert, Wrench } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import {
  argumentRows,
  callRows,
  expectedText,
  previewJson,
  type ArgumentRow,
  type CallFault,
  type CallRow,
} from "../parts/runs/tool-calls.ts";
import { formatCount, formatDuration, formatInteger } from "../parts/text/format.ts";
import { JsonText, ShowAllButton, VerbatimText } from "../parts/text/verbatim-text.tsx";

/** More calls than this are shown on request, except for wrong ones. */
const maxCalls = 20;

/** The tool calls between a message and its reply, folded; wrong ones are open and come with the expected call. */
export function ToolCalls({ turn }: { turn: InteractionResult }) {
  const [all, setAll] = useState(false);
  const rows = callRows(turn);
  const expectsNone = turn.reference_tool_calls?.length === 0;
  if (rows.length === 0 && !expectsNone && turn.reference_tool_calls === undefined) return null;
  const shown = all
    ? rows
    : rows.filter((row, index) => index < maxCalls || row.marks.length > 0).slice(0, 3 * maxCalls);
  return (
    <div role="group" aria-label="Tool calls" className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <h3 className="flex flex-wrap items-baseline gap-x-3 text-xs font-semibold text-soft">
        {rows.length === 0 ? "No tool calls" : formatCount(turn.tool_calls.length, "tool call")}
        <CallSummary rows={rows} expectsNone={expectsNone} />
      </h3>
      {rows.length > 0 && (
        <ol className="grid grid-cols-[minmax(0,1fr)] divide-y divide-line rounded-md border border-line">
          {shown.map((row, index) => (
            <li key={row.call ? `${row.call.id} ${index}` : `missing ${index}`}>
              <ToolCall row={row} />
            </li>
          ))}
        </ol>
      )}
      {shown.length < rows.length && (
        <button type="button" className="button justify-self-start" onClick={() => setAll(true)}>
          Show all {formatInteger(rows.length)} calls
        </button>
      )}
      <UnpairedReferences turn={turn} />
    </div>
  );
}

function CallSummary({ rows, expectsNone }: { rows: readonly CallRow[]; expectsNone: boolean }) {
  const wrong = rows.filter(({ marks }) => marks.length > 0).length;
  if (wrong > 0) return <span className="text-bad">{formatInteger(wrong)} wrong</span>;
  if (expectsNone) return <span className="text-good">none expected</span>;
  return rows.some(({ reference }) => reference) ? <span className="text-good">as expected</span> : null;
}

/** References of a turn that was scored before comparisons were stored, or that got no reply. */
function UnpairedReferences({
  turn: { reference_tool_calls: references, tool_comparison },
}: {
  turn: InteractionResult;
}) {
  if (!references || references.length === 0 || tool_comparison?.pairs) return null;
  return (
    <p className="verbatim text-sm">
      <span className="text-soft">Expected: </span>
      {references
        .map(({ name, arguments: given }) => `${name} ${given ? previewJson(given) : "with any arguments"}`)
        .join("; ")}
    </p>
  );
}

const faultLabels: Record<CallFault, string> = {
  wrong_arguments: "wrong arguments",
  not_called: "not called",
  unexpected: "not expected",
  unknown_tool: "unknown tool",
  invalid_arguments: "invalid arguments",
};

function ToolCall({ row }: { row: CallRow }) {
  const { name, call, marks } = row;
  const isWrong = marks.length > 0;
  const [open, setOpen] = useState(isWrong);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)} className="text-sm">
      <summary className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-0.5 px-3 py-1.5 sm:flex-nowrap">
        <CallIcon row={row} />
        <span className={`mono verbatim shrink-0 font-semibold max-sm:shrink ${call ? "" : "diff-missing"}`}>
          {name}
        </span>
        <span className="mono min-w-0 flex-1 truncate text-soft max-sm:order-last max-sm:basis-full">
          {call ? argumentsPreview(call) : expectedArguments(row)}
        </span>
        <span className="ml-auto flex shrink-0 flex-wrap gap-x-2 text-xs">
          {[...new Set(marks.map(({ fault }) => faultLabels[fault]))].map((label) => (
            <span key={label} className="font-semibold text-bad">
              {label}
            </span>
          ))}
          {call?.error !== undefined && <span className="text-warn">failed</span>}
          {call?.ms !== undefined && <span className="text-soft tabular-nums">{formatDuration(call.ms)}</span>}
        </span>
      </summary>
      {open && <CallDetails row={row} />}
    </details>
  );
}

const argumentsPreview = ({ arguments: given, arguments_error }: NonNullable<CallRow["call"]>): string =>
  arguments_error === undefined ? previewJson(given ?? {}) : String(given).slice(0, 200);

const expectedArguments = ({ reference }: CallRow): string =>
  reference?.arguments ? previewJson(reference.arguments) : "with any arguments";

function CallIcon({ row: { call, reference, marks } }: { row: CallRow }) {
  const shared = { "aria-hidden": true, size: 14, className: "mt-0.5 shrink-0 self-start" } as const;
  if (marks.length > 0) return <CircleX {...shared} className={`${shared.className} text-bad`} />;
  if (reference) return <CircleCheck {...shared} className={`${shared.className} text-good`} />;
  if (call?.error !== undefined) return <TriangleAlert {...shared} className={`${shared.className} text-warn`} />;
  return <Wrench {...shared} className={`${shared.className} text-soft`} />;
}

function CallDetails({ row }: { row: CallRow }) {
  const { call, name, marks } = row;
  const compared = argumentRows(row);
  // A call that failed for it says so in its error.
  const reasons = marks.filter(
    ({ fault }) => fault === "wrong_arguments" || (fault === "invalid_arguments" && !call?.error),
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2 px-3 pt-0.5 pb-3">
      {reasons.map(({ fault, reason }) => (
        <p key={fault} className="verbatim text-bad">
          {reason}
        </p>
      ))}
      {compared && compared.some(({ isWrong }) => isWrong) ? (
        <ArgumentTable rows={compared} />
      ) : (
        <CallArguments row={row} />
      )}
      {call?.result !== undefined && (
        <Part title="Result">
          <JsonText value={call.result} label={`Result of ${name}`} />
        </Part>
      )}
      {call?.error !== undefined && (
        <Part title="Error">
          <VerbatimText text={call.error} />
        </Part>
      )}
    </div>
  );
}

function CallArguments({ row: { call, name, reference } }: { row: CallRow }) {
  if (!call) {
    return (
      <Part title="Expected arguments">
        {reference?.arguments ? (
          <JsonText value={reference.arguments} label={`Expected arguments of ${name}`} />
        ) : (
          "any"
        )}
      </Part>
    );
  }
  const isText = call.arguments_error !== undefined;
  return (
    <div className={`grid grid-cols-[minmax(0,1fr)] gap-2 ${isText && reference ? "sm:grid-cols-2" : ""}`}>
      {isText && reference?.arguments && (
        <Part title="Expected arguments">
          <JsonText value={reference.arguments} label={`Expected arguments of ${name}`} />
        </Part>
      )}
      <Part title={isText ? "Arguments, as text" : "Arguments"}>
        {isText ? (
          <VerbatimText text={String(call.arguments)} />
        ) : (
          <JsonText value={call.arguments ?? {}} label={`Arguments of ${name}`} />
        )}
      </Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-0.5">
      <h4 className="text-xs text-soft">{title}</h4>
      {children}
    </div>
  );
}

/** More arguments than this are shown on request; wrong ones come first. */
const maxArguments = 20;

/** Expected and actual arguments side by side, wrong ones first. */
function ArgumentTable({ rows }: { rows: readonly ArgumentRow[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, maxArguments);
  return (
    <>
      <ComparedValues
        rows={shown.map(({ name, expected, actual, isWrong }) => ({
          name,
          isWrong,
          expected: expected === undefined ? null : expectedText(expected, longestValue),
          actual: actual === undefined ? null : previewJson(actual, longestValue),
        }))}
        subject="Argument"
        missing={{ expected: "not named", actual: "left out" }}
      />
      {shown.length < rows.length && (
        <button type="button" className="button justify-self-start" onClick={() => setAll(true)}>
          Show all {formatInteger(rows.length)} arguments
        </button>
      )}
    </>
  );
}

/** Longer values of a table are cut. */
export const longestValue = 2_000;

interface ComparedValue {
  readonly name: string;
  readonly isWrong: boolean;
  /** Null where there is no value. */
  readonly expected: string | null;
  readonly actual: string | null;
}

interface ComparedValuesProps {
  readonly rows: readonly ComparedValue[];
  readonly subject: string;
  /** Shown where a side has no value. */
  readonly missing: { readonly expected: string; readonly actual: string };
}

/** Expected and actual values by name; on a phone one below the other. */
export function ComparedValues({ rows, subject, missing }: ComparedValuesProps) {
  const columns =
    "grid grid-cols-[minmax(0,1fr)] gap-x-3 gap-y-0.5 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_minmax(0,3fr)]";
  return (
    <div role="table" aria-label={`${subject}s, expected and actual`} className="rounded-md border border-line">
      <div
        role="row"
        className={`${columns} border-b border-line bg-sunken px-2 py-1 text-xs text-soft max-sm:sr-only`}
      >
        <span role="columnheader">{subject}</span>
        <span role="columnheader">Expected</span>
        <span role="columnheader">Actual</span>
      </div>
      {rows.map(({ name, expected, actual, isWrong }) => (
        <div key={name} role="row" className={`${columns} border-b border-line px-2 py-1.5 last:border-b-0`}>
          <span role="rowheader" className={`mono verbatim ${isWrong ? "font-semibold" : "text-soft"}`}>
            {isWrong && <span className="font-sans text-bad">✕ </span>}
            {name}
          </span>
          <ComparedCell label="Expected" value={expected} missing={missing.expected} mark={isWrong && "diff-missing"} />
          <ComparedCell label="Actual" value={actual} missing={missing.actual} mark={isWrong && "diff-extra"} />
        </div>
      ))}
    </div>
  );
}

interface ComparedCellProps {
  readonly label: string;
  readonly value: string | null;
  readonly missing: string;
  readonly mark: string | false;
}

/** A value longer than this is folded. */
const foldedLength = 240;

function ComparedCell({ label, value, missing, mark }: ComparedCellProps) {
  const [whole, setWhole] = useState(false);
  const text = value ?? missing;
  const shown = whole || text.length <= foldedLength ? text : `${text.slice(0, foldedLength)}…`;
  return (
    <span role="cell" className="min-w-0">
      <span aria-hidden className="mr-2 text-xs text-soft sm:hidden">
        {label}
      </span>
      <span className={`verbatim ${value === null ? "italic" : "mono"} ${mark || "text-soft"}`}>{shown}</span>
      {shown.length < text.length && (
        <>
          {" "}
          <ShowAllButton length={text.length} onShow={() => setWhole(true)} />
        </>
      )}
    </span>
  );
}

/** The calls of a turn in one line each, for columns side by side. */
export function CallLines({ turn }: { turn: InteractionResult }) {
  const rows = callRows(turn);
  if (rows.length === 0) return null;
  return (
    <ul aria-label="Tool calls" className="grid grid-cols-[minmax(0,1fr)] gap-0.5 text-xs">
      {rows.slice(0, 10).map((row, index) => (
        <li key={index} className="flex min-w-0 gap-1">
          <CallIcon row={row} />
          <span className="mono verbatim">
            <span className={`font-semibold ${row.call ? "" : "diff-missing"}`}>{row.name}</span>{" "}
            <span className="text-soft">{row.call ? argumentsPreview(row.call) : "not called"}</span>
          </span>
        </li>
      ))}
      {rows.length > 10 && (
        <li className="text-soft">and {formatCount(rows.length - 10, "more call", "more calls")}</li>
      )}
    </ul>
  );
}
