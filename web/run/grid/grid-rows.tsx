import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  ArrowDown,
  ArrowUp,
  CircleAlert,
  CircleCheck,
  CircleMinus,
  CircleX,
  Hourglass,
  Shuffle,
  TriangleAlert,
  type LucideIcon,
} from "lucide-react";
import { memo, useEffect, useLayoutEffect, useRef, useState, type CSSProperties, type RefObject } from "react";
import { Link } from "wouter";
import { isFailure } from "../../../src/contract/schemas/outcome.ts";
import type { ScenarioStatus } from "../../../src/contract/schemas/run-scenarios.ts";
import { formatCount, formatScore } from "../../parts/text/format.ts";
import { changeSearch, useSearchState } from "../../parts/address/search-state.ts";
import { transcriptPath } from "../../parts/address/paths.ts";
import { useListOffset } from "../../parts/browser/layout.ts";
import { usePrinting } from "../../parts/browser/page-state.ts";
import { AttemptSquare } from "./attempt-square.tsx";
import { hasNoReply, statusLabel, type RowSource, type ScenarioRow as Row } from "./scenario-rows.ts";

const columns =
  "grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-3 py-2 md:grid-cols-[minmax(12rem,2fr)_7rem_minmax(min(var(--squares),100%-35rem),1fr)_5rem_7rem]";

/** A square and its gap, in rem. */
const squareWidth = 1.85;
const maxSquares = 20;

interface GridRowsProps {
  readonly source: RowSource;
  readonly runId: string;
  readonly live: boolean;
  /** Height of the sticky filters above the table. */
  readonly covered: number;
}

/** The rows as a table; only those on screen are rendered. */
export function GridRows({ source, runId, live, covered }: GridRowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const offset = useListOffset(list);
  const height = useRowHeight(list, { loaded: source.rowAt(0) !== undefined });
  const { showRange } = source;
  const printing = usePrinting();
  const virtualizer = useWindowVirtualizer({
    count: source.total,
    estimateSize: () => height,
    // Printing shows all rows, unless only some pages are loaded.
    overscan: printing && !showRange ? source.total : 8,
    scrollMargin: offset,
    // Loaded rows are keyed by scenario, so that focus follows a row. Paged rows are keyed by index: dropping a page would forget
    // its measured heights, which would scroll the list, which would load the page again, in a loop.
    getItemKey: (index) => (showRange ? index : (source.rowAt(index)?.scenarioId ?? index)),
  });
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => showRange?.(first, last), [showRange, first, last]);

  return (
    <div
      role="table"
      aria-label="Attempts by scenario"
      aria-rowcount={source.total + 1}
      className="panel overflow-clip"
      style={{ "--squares": squaresWidth(source) } as CSSProperties}
    >
      <div role="rowgroup" className="sticky z-5 max-md:static print:static" style={{ top: covered }}>
        <div
          role="row"
          aria-rowindex={1}
          className={`${columns} border-b border-line bg-sunken text-xs font-semibold text-soft max-md:flex`}
        >
          <SortableHeader name="scenario">Scenario</SortableHeader>
          <span role="columnheader" className="max-md:sr-only">
            Verdict
          </span>
          <span role="columnheader" className="max-md:sr-only">
            Attempts
          </span>
          <SortableHeader name="passed" className="md:text-right">
            Passed
          </SortableHeader>
          <SortableHeader name="overall" className="text-right">
            Overall ± sd
          </SortableHeader>
        </div>
      </div>
      <div ref={list} role="rowgroup" className="virtual-list" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => (
          <div
            key={item.key}
            ref={virtualizer.measureElement}
            data-index={item.index}
            role="row"
            aria-rowindex={item.index + 2}
            className={`${columns} virtual-item border-b border-line`}
            style={{ transform: `translateY(${item.start - offset}px)` }}
          >
            <ScenarioCells row={source.rowAt(item.index)} runId={runId} live={live} />
          </div>
        ))}
      </div>
    </div>
  );
}

interface SortableHeaderProps {
  readonly name: "scenario" | "passed" | "overall";
  readonly className?: string;
  readonly children: string;
}

/** Sorts by a column: ascending, descending, then failing scenarios first again. */
function SortableHeader({ name, className = "", children }: SortableHeaderProps) {
  const [params] = useSearchState();
  const sort = params.get("sort");
  const order = sort === name ? "ascending" : sort === `-${name}` ? "descending" : undefined;
  const next = order === undefined ? name : order === "ascending" ? `-${name}` : null;
  const Arrow = order === "descending" ? ArrowDown : ArrowUp;
  return (
    <span role="columnheader" aria-sort={order} className={className}>
      <button type="button" className="sort-button" onClick={() => changeSearch({ sort: next })}>
        {children}
        {order && <Arrow aria-hidden size={12} />}
      </button>
    </span>
  );
}

/** Width of a row's squares side by side; they wrap when the other columns leave less (100 % - 35 rem). */
function squaresWidth({ rowAt, total }: RowSource): string {
  const counts = Array.from({ length: Math.min(total, maxSquares) }, (_, index) => rowAt(index)?.cells.length ?? 0);
  return `${Math.min(maxSquares, Math.max(3, ...counts)) * squareWidth}rem`;
}

const statusStyles: Record<ScenarioStatus, { icon: LucideIcon; className: string }> = {
  failing: { icon: CircleX, className: "text-bad" },
  flaky: { icon: Shuffle, className: "text-warn" },
  passing: { icon: CircleCheck, className: "text-good" },
  waiting: { icon: Hourglass, className: "text-soft" },
  unscored: { icon: CircleMinus, className: "text-soft" },
};

/** A scenario that passes although one of its turns always fails is not marked as good. */
function verdictStyle(row: Row): { icon: LucideIcon; className: string } {
  if (hasNoReply(row)) return { icon: CircleAlert, className: "text-infra" };
  if (row.status === "passing" && row.alwaysFailing.length > 0) return { icon: TriangleAlert, className: "text-warn" };
  return statusStyles[row.status];
}

interface ScenarioCellsProps {
  readonly row: Row | undefined;
  readonly runId: string;
  readonly live: boolean;
}

/** The cells of a row; grey bars while it loads. */
const ScenarioCells = memo(function ScenarioCells({ row, runId, live }: ScenarioCellsProps) {
  if (!row) return <LoadingCells />;
  const { scenarioId, cells, ended, judged, status } = row;
  const { icon: Icon, className } = verdictStyle(row);
  return (
    <>
      <div role="cell" className="min-w-0">
        <ScenarioName row={row} runId={runId} />
      </div>
      <div role="cell" className={`flex items-center gap-1 text-sm whitespace-nowrap ${className}`}>
        <Icon aria-hidden size={14} />
        {status === "waiting" && !live ? stoppedLabel(row) : hasNoReply(row) ? "no reply" : statusLabel(status)}
      </div>
      <div role="cell" className="flex min-w-0 flex-wrap gap-1 max-md:col-span-2">
        {cells.map((cell) => (
          <AttemptSquare key={cell.attempt} runId={runId} scenarioId={scenarioId} cell={cell} />
        ))}
      </div>
      <div role="cell" className="text-sm whitespace-nowrap tabular-nums md:text-right">
        {judged > 0 && (
          <>
            <span className="text-xs text-soft md:hidden">passed </span>
            {row.passed} of {judged}
          </>
        )}
        {judged === 0 && ended === cells.length && "–"}
        {ended < cells.length && (
          <span className="block text-xs text-soft">
            {ended} of {cells.length} run
          </span>
        )}
      </div>
      <div role="cell" className="text-right text-sm whitespace-nowrap tabular-nums">
        <span className="font-semibold">{formatScore(row.overall)}</span>
        {row.sd !== null && (
          <span className="text-soft" title="standard deviation over attempts">
            {" "}
            ± {formatScore(row.sd)}
          </span>
        )}
      </div>
    </>
  );
});

/** For a scenario without a finished attempt in a run that has ended. */
const stoppedLabel = ({ cells }: Row): string =>
  cells.some(({ outcome }) => outcome === "unfinished") ? "not finished" : "not run";

function ScenarioName({ row, runId }: { row: Row; runId: string }) {
  const first = row.cells.find((cell) => isFailure(cell.outcome)) ?? row.cells[0];
  return (
    <>
      {first ? (
        <Link
          href={transcriptPath({ runId, scenarioId: row.scenarioId, attempt: first.attempt })}
          className="link verbatim line-clamp-2 scroll-mt-12 font-medium"
          data-row=""
        >
          {row.scenarioId}
        </Link>
      ) : (
        <span className="verbatim line-clamp-2 font-medium">{row.scenarioId}</span>
      )}
      {row.alwaysFailing.length > 0 && (
        <p className="text-xs text-warn">{alwaysFailingText(row.alwaysFailing)} in every attempt</p>
      )}
      {row.wrongCalls > 0 && <p className="text-xs text-bad">✕ {formatCount(row.wrongCalls, "wrong tool call")}</p>}
      {row.conflicts > 0 && (
        <p className="text-xs text-warn">
          {formatCount(row.conflicts, "reply", "replies")} may contradict the reference
        </p>
      )}
      {row.description && <p className="verbatim line-clamp-1 text-xs text-soft">{row.description}</p>}
    </>
  );
}

function alwaysFailingText(turns: readonly number[]): string {
  const numbers = turns.map((index) => index + 1).join(", ");
  return turns.length === 1 ? `Turn ${numbers} fails` : `Turns ${numbers} fail`;
}

function LoadingCells() {
  return (
    <div role="cell" className="col-span-full grid h-10 content-center">
      <span className="sr-only">Loading</span>
      <span aria-hidden className="h-4 animate-pulse rounded bg-sunken" />
    </div>
  );
}

/** Last measured row height. Kept between visits, so that the browser can restore the scroll position. */
let lastHeight = 57;

/**
 * Estimated height of a row that is not rendered yet: the mean of the first rows. A small error adds up to screens of offset far
 * down the list.
 */
function useRowHeight(list: RefObject<HTMLElement | null>, { loaded }: { loaded: boolean }): number {
  const [height, setHeight] = useState(lastHeight);
  const measured = useRef(false);
  // Runs on every render until there are rows: the list renders none before it knows its offset on the page.
  useLayoutEffect(() => {
    const rows = [...(list.current?.children ?? [])];
    if (measured.current || !loaded || rows.length === 0) return;
    measured.current = true;
    lastHeight = rows.reduce((sum, row) => sum + row.getBoundingClientRect().height, 0) / rows.length;
    setHeight(lastHeight);
  });
  return height;
}
