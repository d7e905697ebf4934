import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type CSSProperties } from "react";
import { useListOffset } from "../parts/use-list-offset.ts";
import { usePrinting } from "../parts/use-printing.ts";
import type { RowSource } from "./row-source.ts";
import { ScenarioRow } from "./scenario-row.tsx";
import { useRowHeight } from "./use-row-height.ts";

const columns =
  "grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-3 py-2 md:grid-cols-[minmax(12rem,2fr)_7rem_minmax(min(var(--squares),100%-35rem),1fr)_5rem_7rem]";

/** A square and the gap to the next. */
const squareWidth = 1.85;
const mostAbreast = 20;

/** What the squares of a scenario take beside each other; where the other columns leave less (100 % - 35 rem), they wrap. */
function widthOfSquares({ rowAt, total }: RowSource): string {
  const first = Array.from({ length: Math.min(total, mostAbreast) }, (_, index) => rowAt(index)?.cells.length ?? 0);
  return `${Math.min(mostAbreast, Math.max(3, ...first)) * squareWidth}rem`;
}

interface VirtualRowsProps {
  readonly source: RowSource;
  readonly runId: string;
  readonly live: boolean;
}

/** Only the rows on screen are in the page, however many there are. */
export function VirtualRows({ source, runId, live }: VirtualRowsProps) {
  const list = useRef<HTMLDivElement>(null);
  const offset = useListOffset(list);
  const height = useRowHeight(list, { known: source.rowAt(0) !== undefined });
  const { show } = source;
  const printing = usePrinting();
  const virtualizer = useWindowVirtualizer({
    count: source.total,
    estimateSize: () => height,
    // Of a large run only what was on screen is here.
    overscan: printing && !show ? source.total : 8,
    scrollMargin: offset,
    // Rows that are all here are known by their scenario, so that the focus goes with one. Those that come and go with their page are
    // known by their place: a height forgotten with its page would move what is on screen, which brings the page back, without end.
    getItemKey: (index) => (show ? index : (source.rowAt(index)?.scenarioId ?? index)),
  });
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => show?.(first, last), [show, first, last]);

  return (
    <div
      role="table"
      aria-label="Attempts by scenario"
      aria-rowcount={source.total + 1}
      className="panel overflow-hidden"
      style={{ "--squares": widthOfSquares(source) } as CSSProperties}
    >
      <div role="rowgroup" className="max-md:sr-only">
        <div
          role="row"
          aria-rowindex={1}
          className={`${columns} border-b border-line bg-sunken text-xs font-semibold text-soft`}
        >
          <span role="columnheader">Scenario</span>
          <span role="columnheader">Verdict</span>
          <span role="columnheader">Attempts</span>
          <span role="columnheader" className="md:text-right">
            Passed
          </span>
          <span role="columnheader" className="text-right">
            Overall ± sd
          </span>
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
            <ScenarioRow row={source.rowAt(item.index)} runId={runId} live={live} />
          </div>
        ))}
      </div>
    </div>
  );
}
