import { pause } from "../../base/deadline.ts";
import { canonicalJson } from "../../base/json.ts";
import type { TraceContext } from "../../contract/ports/chat-model.ts";
import type { ClaimedAttempt } from "../../contract/ports/queue.ts";
import type { ReceivedSpan, SpanStore, TraceKey } from "../../contract/ports/spans.ts";
import type { StoredReply } from "../../contract/schemas/interaction-result.ts";
import type { PriceOf } from "../../evaluation/helpers/helper-usage.ts";
import { applySpans } from "../../formats/spans/apply-spans.ts";
import { readTurn } from "../../formats/spans/read-turn.ts";
import { spansOfTurns, type SentTurn } from "../../formats/spans/turn-spans.ts";
import { traceContext, traceIdOf, turnSpanId, type TracedPass } from "./trace-ids.ts";

/** The spans of a run, for all its attempts. */
export interface RunSpans {
  readonly store: SpanStore;
  readonly key: TraceKey;
  /** True when the agent shows its calls by spans. */
  readonly areDeclared: boolean;
  /** How long a turn waits for its spans. */
  readonly waitMs: number;
  /** True once spans of the run have come. A little late at most. */
  areSeen(): Promise<boolean>;
  /** The last answer to that. */
  readonly wereSeen: boolean;
}

/** How old a "no" may be: runs without spans ask for every turn. */
const oldestAnswerMs = 500;

export function createRunSpans(
  runId: string,
  run: Pick<RunSpans, "store" | "key" | "areDeclared" | "waitMs"> & { readonly seen: boolean },
): RunSpans {
  let { seen } = run;
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    ...run,
    get wereSeen() {
      return seen;
    },
    async areSeen() {
      if (seen || performance.now() - askedAt < oldestAnswerMs) return seen;
      askedAt = performance.now();
      return (seen = await run.store.areSeen(runId));
    },
  };
}

const pollMs = 100;

type PassName = TracedPass["pass"];

interface Pass {
  readonly traceId: string;
  readonly turns: Map<number, SentTurn>;
  /** True once a span of a tool has come. */
  toolsAreTraced: boolean;
  any: boolean;
}

/** The traces of one attempt, one for each pass: what is sent with its calls, and the spans that come back. */
export class AttemptSpans {
  readonly #run: RunSpans;
  readonly #claimed: ClaimedAttempt;
  readonly #scenarioId: string;
  readonly #priceOf: PriceOf | undefined;
  readonly #passes = new Map<PassName, Pass>();

  constructor(
    run: RunSpans,
    { claimed, scenarioId, priceOf }: { claimed: ClaimedAttempt; scenarioId: string; priceOf: PriceOf | undefined },
  ) {
    this.#run = run;
    this.#claimed = claimed;
    this.#scenarioId = scenarioId;
    this.#priceOf = priceOf;
  }

  /** The trace context of the calls of a turn. */
  contextOf(name: PassName, turn: number): TraceContext {
    const { traceId, turns } = this.#passOf(name);
    const spanId = this.#spanId(name, turn, this.#claimed.tries);
    turns.set(turn, { spanIds: [spanId], sentAt: Date.now() });
    const { run_id: run, attempt } = this.#claimed;
    return traceContext({ traceId, spanId }, { run, scenario: this.#scenarioId, attempt, turn: turn + 1 });
  }

  /** Takes over a turn that an earlier try stored. */
  restore(name: PassName, turn: number, { trace }: StoredReply): void {
    const tries = Array.from({ length: this.#claimed.tries }, (_, index) => index + 1);
    const spanIds = trace ? [trace.span_id] : tries.map((number) => this.#spanId(name, turn, number));
    this.#passOf(name).turns.set(turn, { spanIds, sentAt: Number.NEGATIVE_INFINITY });
  }

  /** The reply with what the spans of its turn show, for which it waits. */
  async observe(
    name: PassName,
    { turn, reply, signal }: { turn: number; reply: StoredReply; signal: AbortSignal },
  ): Promise<StoredReply> {
    const pass = this.#passOf(name);
    if (!pass.turns.has(turn) || !(this.#run.areDeclared || (await this.#run.areSeen()))) return reply;
    const { store, waitMs } = this.#run;
    const deadline = performance.now() + waitMs;
    let spans: readonly ReceivedSpan[] = [];
    for (let count = -1; ;) {
      const now = await store.count(this.#claimed.run_id, pass.traceId);
      if (now !== count) {
        count = now;
        spans = await store.ofTrace(this.#claimed.run_id, pass.traceId);
        if (spansOfTurns(spans, pass.turns).get(turn)?.isComplete) break;
      }
      if (performance.now() >= deadline) break;
      await pause(Math.min(pollMs, Math.max(1, deadline - performance.now())), signal);
    }
    return this.#apply(name, spans, new Map([[turn, reply]])).get(turn) ?? reply;
  }

  /** The replies that spans have changed which came since their turns. */
  async attachLate(
    name: PassName,
    replies: ReadonlyMap<number, StoredReply>,
  ): Promise<ReadonlyMap<number, StoredReply>> {
    const pass = this.#passes.get(name);
    if (!pass || !(this.#run.areDeclared || (await this.#run.areSeen()))) return new Map();
    const spans = await this.#run.store.ofTrace(this.#claimed.run_id, pass.traceId);
    const called = [...replies].filter(([turn]) => pass.turns.has(turn));
    // Spans of a later turn may show that tools are traced, so all turns are read before any is judged.
    this.#apply(name, spans, new Map(called));
    const applied = this.#apply(name, spans, new Map(called));
    return new Map([...applied].filter(([turn, reply]) => canonicalJson(reply) !== canonicalJson(replies.get(turn))));
  }

  #apply(
    name: PassName,
    spans: readonly ReceivedSpan[],
    replies: ReadonlyMap<number, StoredReply>,
  ): ReadonlyMap<number, StoredReply> {
    const pass = this.#passOf(name);
    const byTurn = spansOfTurns(spans, pass.turns);
    const read = new Map(
      [...replies.keys()].map((turn) => {
        const own = byTurn.get(turn)?.spans ?? [];
        return [turn, own.length > 0 ? readTurn(own, { priceOf: this.#priceOf }) : null] as const;
      }),
    );
    pass.toolsAreTraced ||= [...read.values()].some((turn) => turn?.hasTools);
    pass.any ||= spans.length > 0;
    return new Map(
      [...replies].map(([turn, reply]) => {
        const own = byTurn.get(turn);
        const applied = applySpans(reply, {
          traceId: pass.traceId,
          spanId: pass.turns.get(turn)?.spanIds.at(-1) ?? "",
          turn: read.get(turn) ?? null,
          count: own?.spans.length ?? 0,
          isComplete: own?.isComplete ?? false,
          toolsAreTraced: pass.toolsAreTraced,
          areExpected: this.#run.areDeclared || pass.any,
          areDeclared: this.#run.areDeclared,
        });
        return [turn, applied];
      }),
    );
  }

  #passOf(name: PassName): Pass {
    const known = this.#passes.get(name);
    if (known) return known;
    const { scenario_index, attempt } = this.#claimed;
    const traceId = traceIdOf(this.#run.key, { scenario_index, attempt, pass: name });
    const pass = { traceId, turns: new Map(), toolsAreTraced: false, any: false };
    this.#passes.set(name, pass);
    return pass;
  }

  #spanId(pass: PassName, turn: number, tries: number): string {
    const { scenario_index, attempt } = this.#claimed;
    return turnSpanId(this.#run.key, { scenario_index, attempt, pass }, { turn, tries });
  }
}
