import type { Generated } from "kysely";
import type { AgentRunState } from "../contract/schemas/agent-run.ts";
import type { RunState } from "../contract/schemas/run.ts";
import type { AttemptState } from "../contract/ports/store.ts";

/**
 * The tables as kysely sees them, the same on every database. Objects and free text are JSON text: it escapes NUL and
 * lone surrogates, which text columns refuse or alter. Times are milliseconds, flags are 0 or 1.
 */
export interface Tables {
  run: RunTable;
  run_scenario: RunScenarioTable;
  run_sequence: RunSequenceTable;
  run_carrier: RunCarrierTable;
  run_rescoring: RunRescoringTable;
  attempt: AttemptTable;
  interaction: InteractionTable;
  library_scenario: LibraryScenarioTable;
  judge_audit: JudgeAuditTable;
  endpoint_limit: EndpointLimitTable;
  endpoint_slots: EndpointSlotsTable;
  agent_run: AgentRunTable;
  agent_run_part: AgentRunPartTable;
  agent_thread: AgentThreadTable;
  agent_thread_part: AgentThreadPartTable;
  agent_thread_hold: AgentThreadHoldTable;
  agent_answer: AgentAnswerTable;
  agent_waiting_run: AgentWaitingRunTable;
  agent_resumed_part: AgentResumedPartTable;
  agent_process: AgentProcessTable;
  agent_handover: AgentHandoverTable;
  api_key: ApiKeyTable;
  key_rate: KeyRateTable;
}

export interface RunTable {
  id: string;
  owner: string | null;
  state: RunState;
  priority: number;
  demo: number;
  settings: string;
  warnings: string;
  message: string;
  summary: string | null;
  /** Copies out of `settings`, as JSON text, to filter by. */
  test_name: string;
  model_id: string;
  max_concurrency: number | null;
  /** JSON text of [owner, key]: unique as a pair, also when there is no owner. */
  idempotency_key: string | null;
  idempotency_hash: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  attempts_total: number;
  interactions_total: number;
  /** The counts of done work are filled in when the run ends; until then they are kept in `run_sequence`. */
  attempts_done: number;
  interactions_done: number;
  interactions_failed: number;
  /** 1: nobody sees it any more, its rows are being deleted bit by bit. */
  removed: number;
  /** 1: it takes no more work, and some of its attempts are still to be closed. */
  unclosed: number;
  /** 1: carried out only by a process that names it. */
  tied: Generated<number>;
  /** 1: carried out by one process at a time, which counts what is under way against the run's budget. */
  metered: Generated<number>;
  /** JSON text; null for a run from before policies were stored. */
  endpoint_policy: string | null;
  /** When its end is to be told to the operator's addresses, in milliseconds since 1970; null: not (any more). */
  webhook_due: number | null;
  webhook_tries: Generated<number>;
  /** What was accepted, as a JSON list. */
  webhook_sent: string | null;
}

interface RunScenarioTable {
  run_id: string;
  scenario_index: number;
  definition: string;
}

/**
 * Numbers the turns of a run in the order they are committed: whoever stores one holds this row until then. A table of
 * its own, because every turn rewrites the row and that of the run can be large.
 */
interface RunSequenceTable {
  run_id: string;
  last: number;
  /** How far the run has come, while it is under way. */
  attempts_done: Generated<number>;
  interactions_done: Generated<number>;
  interactions_failed: Generated<number>;
}

/** A process that carries out a run which is tied to one. It counts for as long as the process lives. */
interface RunCarrierTable {
  run_id: string;
  process: string;
}

/** A process that scores an ended run again, alone. It counts for as long as the process lives. */
interface RunRescoringTable {
  run_id: string;
  process: string;
  /** Another one each time: a write that carries an older one is refused. */
  token: string;
}

export interface AttemptTable {
  id: string;
  run_id: string;
  scenario_index: number;
  attempt: number;
  state: Generated<AttemptState>;
  average_scores: string | null;
  interactions_done: Generated<number>;
  interactions_failed: Generated<number>;
  /** Raised at every claim: a write that carries an older one is refused. */
  fence: Generated<number>;
  tries: Generated<number>;
  /** How often its execution has broken. */
  breaks: Generated<number>;
  lease_owner: string | null;
  /** On the steady clock of the host, like `available_at`. */
  lease_until: number | null;
  available_at: Generated<number>;
}

export interface InteractionTable {
  attempt_id: string;
  run_id: string;
  seq: number;
  turn_index: number;
  reply: string;
  scores: string | null;
  failed: number;
  finished_at: number;
}

export interface LibraryScenarioTable {
  /** JSON text. */
  id: string;
  version: string;
  /** Counts the versions of one id, so that the newest is known whatever the clock says. */
  number: number;
  definition: string;
  /** Lower-case id, description and tags, as JSON text, to search in. */
  search: string;
  /** A hash of what its turns ask and expect. */
  turns: string;
  newest: number;
  demo: number;
  created_at: number;
}

/** What all workers together may do at one model endpoint. Times are on the clock that leases are measured on. */
interface EndpointLimitTable {
  /** A hash: an address may be longer than a key can be. */
  endpoint: string;
  /** Calls at once that the endpoint bears: halved when it refuses calls, raised by one after successes. 0: nothing is known. */
  calls: number;
  successes: number;
  halved_at: number;
  /** When it last refused a call: what was learned is forgotten ten minutes later. */
  refused_at: Generated<number>;
  /** Theoretical arrival times (GCRA) of the next request and the next token. */
  request_tat: number;
  token_tat: number;
  /** Tokens of a call, as a moving average: charged before a call, put right after it. */
  token_average: number;
  paused_until: number;
  /** When a worker last had something to say or to ask. */
  settled_at: Generated<number>;
}

/** The calls at once that one worker may make at one endpoint, until its lease ends. */
interface EndpointSlotsTable {
  endpoint: string;
  worker: string;
  slots: number;
  /** How many it would use. */
  wanted: number;
  /** The limit it shares with the others that have one. null: it keeps to a number of its own. */
  shared_limit: Generated<number | null>;
  lease_until: number;
  /** When it last got more: among equals, whoever has waited longest comes first. */
  granted_at: number;
}

interface JudgeAuditTable {
  fingerprint: string;
  passed: number;
  audit: string;
  audited_at: number;
}

interface AgentRunTable {
  id: string;
  owner: string | null;
  thread_id: string | null;
  wire: string;
  /** As it was asked for, as JSON text. */
  model_id: string;
  state: AgentRunState;
  created_at: number;
  /** Who carries it out, or did last. */
  process: string;
  summary: string;
}

/** What was written of a run's log at one time: a JSON list of entries. Parts are only ever added. */
interface AgentRunPartTable {
  run_id: string;
  number: number;
  entries: string;
}

interface AgentThreadTable {
  /** JSON text of [owner, id], as wherever something of the agent's is named. */
  name: string;
  created_at: number;
  updated_at: number;
}

/** What one turn added to a thread: a JSON list of messages. */
interface AgentThreadPartTable {
  thread: string;
  number: number;
  messages: string;
}

/** A thread with a turn under way. It counts for as long as the process lives. */
interface AgentThreadHoldTable {
  name: string;
  process: string;
}

interface AgentAnswerTable {
  name: string;
  hash: string;
  /** Who works on the answer, or gave it. */
  process: string;
  /** null: not given yet. */
  answer: string | null;
  expires_at: number;
}

export interface AgentWaitingRunTable {
  run_id: string;
  owner: string | null;
  state: string;
  expires_at: number;
  /** Who carries it out after a decision: it waits again when that process has died. null: nobody has decided. */
  process: string | null;
}

/** What was done of a run since it was decided about: one JSON document each, only ever added. */
interface AgentResumedPartTable {
  run_id: string;
  number: number;
  entry: string;
}

/** A process that serves the agent, carries out runs that are tied to it, or scores one again. `alive_until` is on the clock that leases are measured on. */
interface AgentProcessTable {
  id: string;
  alive_until: number;
}

/** Steps of own tools before a reply that hands tool calls to the client. `key` stands for the conversation up to there. */
export interface AgentHandoverTable {
  key: string;
  owner: string | null;
  run_id: string;
  state: string;
  /** Characters of `state`. */
  size: number;
  expires_at: number;
}

/** An API key that was made with `rehearsal keys create`: only its hash. Times are ISO texts, as in the key file. */
export interface ApiKeyTable {
  id: string;
  owner: string;
  /** A JSON list. */
  scopes: string;
  sha256: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

/** Uses of one scope by one API key in a window of time and in the window before it. */
export interface KeyRateTable {
  name: string;
  window_start: number;
  current: number;
  previous: number;
}
