import type { AgentRunEntry, AgentRunState, AgentRunSummary, AgentWire } from "./agent-run.ts";

/** One run as it is kept: its entries, the first of which is its `run-start`. */
export interface AgentRunRecord {
  readonly id: string;
  readonly entries: readonly AgentRunEntry[];
}

export interface AgentRunFilter {
  readonly owner: string | null;
  readonly state?: AgentRunState | undefined;
  readonly wire?: AgentWire | undefined;
  /** As it was asked for. */
  readonly model_id?: string | undefined;
  readonly thread_id?: string | undefined;
  readonly limit: number;
  /** Opaque, from the page before. Newest first. */
  readonly cursor?: string | undefined;
}

export interface AgentRunPage {
  readonly runs: readonly AgentRunSummary[];
  readonly next_cursor: string | null;
}

/**
 * What runs of the agent did. Entries are only ever added; each is stored once, so a run costs what it said, not the
 * square of it. Runs are dropped as a whole, by age. Ids are UUIDv7 text: their order is time.
 */
export interface AgentRunLog {
  /**
   * Contract: returns at once and never throws, since a turn must not wait for its own record or fail with it. Entries
   * of a run are kept in order, and a read that follows sees them as soon as they can be stored. A process that is killed may lose those of its last
   * moments.
   */
  append(runId: string, entry: AgentRunEntry): void;
  /** Null when there is none, or when it is another owner's. Rejects while entries of it cannot be stored. */
  get(runId: string, owner: string | null): Promise<AgentRunRecord | null>;
  /** What is stored, also while nothing more can be. */
  list(filter: AgentRunFilter): Promise<AgentRunPage>;
}
