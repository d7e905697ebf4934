/**
 * The steps of own tools that belong to a reply which hands tool calls to the client. `key` is a hash of the conversation up to those
 * calls, the calls and the owner; `state` is plain JSON.
 */
export interface AgentHandover {
  readonly key: string;
  readonly owner: string | null;
  readonly runId: string;
  readonly state: unknown;
}

/** Where hand-overs are kept for an hour, so that the follow-up finds the steps in any process and after a restart. */
export interface AgentHandovers {
  put(handover: AgentHandover): Promise<void>;
  /** The states of those that are still kept, by their keys. Each owner sees only its own. */
  get(owner: string | null, keys: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
}
