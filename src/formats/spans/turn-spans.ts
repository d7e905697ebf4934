import type { ReceivedSpan } from "../../contract/ports/spans.ts";

/** A turn whose request was sent with this span id, at this time (milliseconds since 1970). */
export interface SentTurn {
  readonly spanIds: readonly string[];
  readonly sentAt: number;
}

export interface SpansOfTurn {
  readonly spans: readonly ReceivedSpan[];
  /** False while a span that must exist has not come: the root of the turn, or one that others name as their parent. */
  readonly isComplete: boolean;
}

/**
 * The spans of each turn among those of a trace. Spans below the span of a turn are its own. Those whose way up is broken, as when a
 * proxy between us and the agent sends its spans elsewhere, belong to the last turn that was sent before they began.
 */
export function spansOfTurns(
  spans: readonly ReceivedSpan[],
  turns: ReadonlyMap<number, SentTurn>,
): ReadonlyMap<number, SpansOfTurn> {
  const turnOf = new Map([...turns].flatMap(([turn, { spanIds }]) => spanIds.map((id) => [id, turn] as const)));
  const byId = new Map(spans.map((span) => [span.id, span]));
  const found = new Map([...turns.keys()].map((turn) => [turn, { spans: [] as ReceivedSpan[], roots: 0, broken: 0 }]));
  for (const span of spans) {
    const top = topOf(span, { byId, turnOf });
    const named = top.parent === undefined ? undefined : turnOf.get(top.parent);
    const turn = named ?? sentBefore(top.start, turns);
    const own = turn === undefined ? undefined : found.get(turn);
    if (!own) continue;
    own.spans.push(span);
    if (named === undefined) own.broken += 1;
    else if (top === span) own.roots += 1;
  }
  return new Map(
    [...found].map(([turn, own]) => [turn, { spans: own.spans, isComplete: own.roots > 0 && own.broken === 0 }]),
  );
}

/** The highest span above this one that has come, below the span of a turn. */
function topOf(
  span: ReceivedSpan,
  { byId, turnOf }: { byId: ReadonlyMap<string, ReceivedSpan>; turnOf: ReadonlyMap<string, number> },
): ReceivedSpan {
  const seen = new Set<string>();
  let top = span;
  while (top.parent !== undefined && !turnOf.has(top.parent) && !seen.has(top.id)) {
    seen.add(top.id);
    const above = byId.get(top.parent);
    if (!above) break;
    top = above;
  }
  return top;
}

/** The clocks of two machines may differ a little. */
const clockSkewMs = 500;

function sentBefore(start: number, turns: ReadonlyMap<number, SentTurn>): number | undefined {
  let last: number | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  for (const [turn, { sentAt }] of turns) {
    last ??= turn;
    if (sentAt > start + clockSkewMs || sentAt < lastAt) continue;
    last = turn;
    lastAt = sentAt;
  }
  return last;
}
