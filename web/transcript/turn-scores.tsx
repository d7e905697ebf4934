import { Check, X } from "lucide-react";
import type { InteractionResult, LabelSource } from "../../src/contract/schemas/interaction-result.ts";
import type { JudgeVerdict } from "../../src/contract/schemas/judging/judge.ts";
import { formatInteger, formatPercent, formatScore, formatValue } from "../parts/text/format.ts";
import { compareScoreNames, rubricsByScore, scoreLabel } from "../parts/runs/scores.ts";
import { decidingScores } from "./failures.ts";

/** The overall score and the scores that pulled it down, with their reasons. All other scores are folded. */
export function ScoreList({ turn, threshold }: { turn: InteractionResult; threshold: number | undefined }) {
  const names = [...new Set([...Object.keys(turn.scores), ...Object.keys(turn.score_reasons)])].toSorted(
    compareScoreNames,
  );
  if (names.length === 0) return <p className="text-sm text-soft">Not scored yet.</p>;
  const first = new Set(decidingScores(turn, threshold));
  const rest = names.filter((name) => !first.has(name));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h3 className="text-xs font-semibold text-soft">Scores</h3>
      <ScoreItems turn={turn} names={names.filter((name) => first.has(name))} />
      {rest.length > 0 && (
        <details className="print-open">
          <summary className="text-sm text-soft">All scores ({formatInteger(names.length)})</summary>
          <div className="mt-1">
            <ScoreItems turn={turn} names={rest} columns="lg:grid-cols-2" />
          </div>
        </details>
      )}
    </div>
  );
}

interface ScoreItemsProps {
  readonly turn: InteractionResult;
  readonly names: readonly string[];
  readonly columns?: string;
}

function ScoreItems({ turn, names, columns = "" }: ScoreItemsProps) {
  const questions = rubricsByScore(turn.checks);
  return (
    <ul className={`grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-1 text-sm ${columns}`}>
      {names.map((name) => (
        <li key={name} className="grid grid-cols-[2.75rem_minmax(0,1fr)] items-baseline gap-2">
          <ScoreBar value={turn.scores[name]} />
          {/* The full text of a judge's reason is in the list of judgements. */}
          <span className={`verbatim ${Object.hasOwn(turn.judgements ?? {}, name) ? "line-clamp-3" : ""}`}>
            {/* The label's name may have another text direction than the reason. */}
            <bdi className={name === "overall" ? "font-semibold" : "font-medium"}>{scoreLabel(name)}</bdi>
            {questions.has(name) && (
              <span>
                {" "}
                <q>{questions.get(name)}</q>
              </span>
            )}
            {turn.score_reasons[name] && <span className="text-soft"> {turn.score_reasons[name]}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

function ScoreBar({ value }: { value: number | undefined }) {
  return (
    <span className="grid gap-0.5 text-right tabular-nums">
      <span className="font-medium">{formatScore(value)}</span>
      <span aria-hidden className="h-1 overflow-hidden rounded-full bg-sunken">
        <span className="block h-full bg-accent" style={{ width: `${(value ?? 0) * 100}%` }} />
      </span>
    </span>
  );
}

/** Expected and generated labels with their source. */
export function LabelList({ turn }: { turn: InteractionResult }) {
  const keys = [...new Set([...Object.keys(turn.reference_metadata), ...Object.keys(turn.generated_metadata)])];
  if (keys.length === 0) return null;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h3 className="text-xs font-semibold text-soft">Labels</h3>
      <ul className="grid gap-1 text-sm">
        {keys.map((key) => (
          <LabelItem key={key} name={key} turn={turn} />
        ))}
      </ul>
    </div>
  );
}

function LabelItem({ name, turn }: { name: string; turn: InteractionResult }) {
  // A label may have the name of an inherited property, such as toString.
  const own = <T,>(of: Readonly<Record<string, T>>) => (Object.hasOwn(of, name) ? of[name] : undefined);
  const expected = own(turn.reference_metadata);
  const generated = own(turn.generated_metadata);
  const score = turn.scores[`metadata.${name}`];
  const source = own(turn.label_sources);
  return (
    <li className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
      <span className="verbatim font-medium">{name}</span>
      <LabelVerdict score={score} />
      <span className="verbatim">
        {expected === undefined ? (
          <span className="text-soft">none expected</span>
        ) : (
          `expected ${formatValue(expected)}`
        )}
        {", "}
        {generated === undefined ? (
          <span className="text-soft">none generated</span>
        ) : (
          `generated ${formatValue(generated)}`
        )}
      </span>
      {source && <span className="verbatim text-xs text-soft">{describeSource(source)}</span>}
    </li>
  );
}

const labellers = { endpoint: "the endpoint", labeller: "the labeller model", local: "the built-in labeller" } as const;

function describeSource({ source, method, confidence }: LabelSource): string {
  const how = method === undefined ? "" : `: ${method}`;
  const sure = confidence === undefined ? "" : ` (${formatPercent(confidence)} confidence)`;
  return `by ${labellers[source]}${how}${sure}`;
}

function LabelVerdict({ score }: { score: number | undefined }) {
  if (score === undefined) return null;
  const right = score === 1;
  const Icon = right ? Check : X;
  return (
    <span
      className={`inline-flex items-center gap-0.5 self-center text-xs font-medium ${right ? "text-good" : "text-bad"}`}
    >
      <Icon aria-hidden size={13} />
      {right ? "match" : "differs"}
    </span>
  );
}

interface JudgementListProps {
  readonly title: string;
  readonly judgements: Readonly<Record<string, JudgeVerdict>>;
}

/** A judge's verdicts, question by question, with the reason of every vote. */
export function JudgementList({ title, judgements }: JudgementListProps) {
  const entries = Object.entries(judgements);
  if (entries.length === 0) return null;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <h3 className="text-xs font-semibold text-soft">{title}</h3>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 text-sm">
        {entries.map(([name, verdict]) => (
          <li key={name} className="grid grid-cols-[minmax(0,1fr)] gap-1 rounded-md border border-line p-2">
            <span className="flex flex-wrap items-baseline gap-x-2">
              <span className="verbatim font-medium">{scoreLabel(name)}</span>
              <span className="verbatim">
                {verdict.verdict ?? (verdict.value === null ? "no verdict" : "no majority")}
              </span>
              <span className="text-soft tabular-nums">{formatScore(verdict.value)}</span>
              {verdict.votes.length > 1 && (
                <span className="text-xs text-soft">{formatPercent(verdict.agreement)} of votes agree</span>
              )}
              {!verdict.judge_audited && <span className="text-xs text-warn">unverified judge</span>}
            </span>
            {verdict.votes.map((vote, index) => (
              <div key={index} className="grid gap-1 text-soft">
                <p className="verbatim">
                  {verdict.votes.length > 1 && (
                    <span className="font-medium">
                      {vote.model && `${vote.model}, `}
                      {vote.choice ?? "unusable"}:{" "}
                    </span>
                  )}
                  {vote.reason || "(no reason given)"}
                </p>
                {vote.evidence?.map(({ turn, call, quote }, place) => (
                  <p key={place} className="verbatim border-l-2 border-line pl-2 text-xs">
                    <q>{quote}</q> ({turn === 0 ? "instructions" : `turn ${turn}`}
                    {call !== undefined && `, call ${call}`})
                  </p>
                ))}
              </div>
            ))}
            {verdict.left_out && (
              <p className="verbatim text-xs text-warn">The judge did not see all: {verdict.left_out.join("; ")}</p>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
