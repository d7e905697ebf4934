import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import type { AttemptResult, ScenarioResult } from "../../src/contract/schemas/evaluation-response.ts";
import type { InteractionResult } from "../../src/contract/schemas/interaction-result.ts";
import { useListOffset } from "../parts/use-list-offset.ts";
import { usePrinting } from "../parts/use-printing.ts";
import type { HistoryMode } from "./history-mode.ts";
import { TurnCard } from "./turn-card.tsx";
import type { ViewMode } from "./view-mode.ts";

interface TurnListProps {
  readonly scenario: ScenarioResult;
  readonly attempt: AttemptResult;
  /** Its place in the list. */
  readonly turn: number;
  /** True when the address names a turn, or there is a bad one to look at: then it is brought into view. */
  readonly chosen: boolean;
  /** Height of what stays on top of the list. */
  readonly covered: number;
  readonly mode: ViewMode;
  /** The index of a turn of the scenario. */
  readonly across: number;
  readonly history: HistoryMode;
  readonly otherOf: (turnIndex: number) => InteractionResult | null;
}

export function TurnList({ scenario, attempt, turn, chosen, covered, mode, across, history, otherOf }: TurnListProps) {
  const list = useRef<HTMLDivElement>(null);
  const offset = useListOffset(list);
  const turns = attempt.interactions;
  const printing = usePrinting();
  const virtualizer = useWindowVirtualizer({
    count: turns.length,
    estimateSize: () => 420,
    gap: 16,
    overscan: printing ? turns.length : 4,
    scrollMargin: offset,
    scrollPaddingStart: covered,
  });

  useEffect(() => {
    if (chosen && offset > 0) virtualizer.scrollToIndex(turn, { align: turn === 0 ? "end" : "start" });
  }, [virtualizer, turn, chosen, offset, covered]);

  if (turns.length === 0)
    return <p className="panel p-4 text-soft">This attempt has no turns: it was not run, or not yet.</p>;
  return (
    <div ref={list} className="virtual-list" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map((item) => {
        const interaction = turns[item.index];
        if (!interaction) return null;
        return (
          <div
            key={item.key}
            ref={virtualizer.measureElement}
            data-index={item.index}
            className="virtual-item print:mb-4"
            style={{ transform: `translateY(${item.start - offset}px)` }}
          >
            <TurnCard
              turn={interaction}
              scenario={scenario}
              attempt={attempt.attempt}
              mode={mode}
              current={item.index === turn}
              across={across === interaction.turn_index}
              other={otherOf(interaction.turn_index)}
              history={history}
            />
          </div>
        );
      })}
    </div>
  );
}
