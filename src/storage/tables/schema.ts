import type { Generated } from "kysely";
import type { AgentRunState } from "../../contract/schemas/agent/agent-run.ts";
import type { Sampling } from "../../contract/schemas/judging/human-verdict.ts";
import type { RunState } from "../../contract/schemas/run.ts";
import type { AttemptState } from "../../contract/ports/store.ts";

/**
 * The tables, the same on every database. Objects and free text are JSON text, which escapes NUL and lone surrogates
 * that text columns refuse or alter. Times are milliseconds, flags are 0 or 1.
 */
export interface Tables {
  run: RunTable;
  run_scenario: RunScenarioTable;
  run_state: RunStateTable;
  run_sequence: RunSequenceTable;
  run_span: RunSpanTable;
  run_totals: RunTotalsTable;
  run_carrier: RunCarrierTable;
  run_rescoring: RunRescoringTable;
  attempt: AttemptTable;
  interaction: InteractionTable;
  turn_journal: TurnJournalTable;
  human_verdict: HumanVerdictTable;
  review_skip: ReviewSkipTable;
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
  agent_open_run: AgentOpenRunTable;
  agent_open_run_step: AgentOpenRunStepTable;
  agent_process: AgentProcessTable;
  agent_handover: AgentHandoverTable;
  agent_response: AgentResponseTable;
  api_key: ApiKeyTable;
  key_rate: KeyRateTable;
  world_endpoint: WorldEndpointTable;
  world_request: WorldRequestTable;
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
  /** Copies from `settings` as JSON text, for filters. */
  test_name: string;
  model_id: string;
  max_concurrency: number | null;
  /** JSON text of [owner, key]: unique as a pair, also without an owner. */
  idempotency_key: string | null;
  idempotency_hash: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
  attempts_total: number;
  interactions_total: number;
  /** Filled in when the run ends; until then `run_sequence` has the counts. */
  attempts_done: number;
  interactions_done: number;
  interactions_failed: number;
  /** 1: invisible, its rows are being deleted in steps. */
  removed: number;
  /** 1: takes no more work, and some of its attempts are still to be closed. */
  unclosed: number;
  /** 1: executed only by a process that names it. */
  tied: Generated<number>;
  /** 1: executed by one process at a time, which counts calls in flight against the run's budget. */
  metered: Generated<number>;
  /** JSON text; null for a run from before policies were stored. */
  endpoint_policy: string | null;
  /** When its webhooks are due, in milliseconds since 1970; null: none, or done. */
  webhook_due: number | null;
  webhook_tries: Generated<number>;
  /** The accepted deliveries, as a JSON list. */
  webhook_sent: string | null;
  /** Calls in worlds that were refused, because no turn of their attempt was under way. */
  late_calls: Generated<number>;
  /** The first half of the ids of its traces, and the key of the second, in hexadecimal; null for a run from before traces. */
  trace_prefix: Generated<string | null>;
  trace_secret: Generated<string | null>;
  /** 1: an agent has sent spans of it. */
  spans_seen: Generated<number>;
  /** Spans that came after their attempt had been scored. */
  late_spans: Generated<number>;
}

interface RunScenarioTable {
  run_id: string;
  scenario_index: number;
  definition: string;
}

/** A large state that worlds of several scenarios begin with, as JSON text. */
interface RunStateTable {
  run_id: string;
  /** SHA-256 of the text. */
  hash: string;
  state: string;
}

/** A span that an agent has sent, or an event of it that came by itself. */
export interface RunSpanTable {
  run_id: string;
  trace_id: string;
  span_id: string;
  /** "" for the span; a hash of the event otherwise. */
  part: string;
  /** Characters of `span`. */
  size: number;
  received_at: number;
  span: string;
}

/**
 * Numbers the turns of a run in commit order: storing a turn locks this row until then. A separate table, because every
 * turn rewrites the row and that of the run can be large.
 */
interface RunSequenceTable {
  run_id: string;
  last: number;
  /** Progress of an unfinished run. */
  attempts_done: Generated<number>;
  interactions_done: Generated<number>;
  interactions_failed: Generated<number>;
}

/** The sums over the attempts of each scenario of an ended run: a list of scenarios need not read the attempts. */
interface RunTotalsTable {
  run_id: string;
  /** When the run of the totals was rescored, in its summary; "" for one that was not. */
  rescored_at: string;
  totals: string;
}

/** A process that executes a tied run. It counts while the process lives. */
interface RunCarrierTable {
  run_id: string;
  process: string;
}

/** The process that rescores an ended run. It counts while the process lives. */
interface RunRescoringTable {
  run_id: string;
  process: string;
  /** New for each hold: a write with an older token is refused. */
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
  /** Raised by every claim: a write with an older fence is refused. */
  fence: Generated<number>;
  tries: Generated<number>;
  /** How often its execution has failed. */
  breaks: Generated<number>;
  lease_owner: string | null;
  /** On the monotonic clock of the host, like `available_at`. */
  lease_until: number | null;
  available_at: Generated<number>;
  /** The slice that it was last claimed from, on PostgreSQL. */
  slice: string | null;
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

/** Entries of the journal of a turn, as a JSON list. Rows are only added. */
export interface TurnJournalTable {
  attempt_id: string;
  turn_index: number;
  /** Counted from 0 within the turn. */
  number: number;
  run_id: string;
  entries: string;
}

/** A person's verdict on a reply. Names and texts are JSON text. */
export interface HumanVerdictTable {
  run_id: string;
  scenario_index: number;
  attempt: number;
  turn_index: number;
  question: string;
  against: string;
  /** 1: decides a conflict. */
  adjudication: number;
  rater: string;
  choice: string;
  value: number;
  comment: string | null;
  sampling: Sampling;
  asked: string;
  given_at: number;
}

/** A reply that was drawn to be judged and that a person skipped. Names are JSON text. */
export interface ReviewSkipTable {
  run_id: string;
  scenario_index: number;
  attempt: number;
  turn_index: number;
  question: string;
  against: string;
  rater: string;
  sampling: Sampling;
  asked: string;
  skipped_at: number;
}

export interface LibraryScenarioTable {
  /** JSON text. */
  id: string;
  version: string;
  /** Numbers the versions of one id, so that the newest is known whatever the clock says. */
  number: number;
  definition: string;
  /** Lower-case id, description and tags as JSON text, for searches. */
  search: string;
  /** A hash of the messages and references of its turns. */
  turns: string;
  newest: number;
  demo: number;
  created_at: number;
}

/** The state that all workers share about one model endpoint. Times are on the lease clock. */
interface EndpointLimitTable {
  /** A hash: an address may exceed the length of a key. */
  endpoint: string;
  /** Concurrent calls the endpoint bears: halved when it refuses calls, raised by one after successes. 0: unknown. */
  calls: number;
  successes: number;
  halved_at: number;
  /** When it last refused a call: the learned limit expires ten minutes later. */
  refused_at: Generated<number>;
  /** Theoretical arrival times (GCRA) of the next request and the next token. */
  request_tat: number;
  token_tat: number;
  /** Moving average of tokens per call: charged before a call, corrected after it. */
  token_average: number;
  paused_until: number;
  /** When a worker last renewed its quota. */
  settled_at: Generated<number>;
}

/** The concurrent calls one worker may make at one endpoint, until its lease ends. */
interface EndpointSlotsTable {
  endpoint: string;
  worker: string;
  slots: number;
  /** How many it would use. */
  wanted: number;
  /** The limit it shares with others. Null: it has a limit of its own. */
  shared_limit: Generated<number | null>;
  lease_until: number;
  /** When it last got more: among equals, the one that waited longest is next. */
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
  /** As requested, as JSON text. */
  model_id: string;
  state: AgentRunState;
  created_at: number;
  /** The process that executes it, or did last. */
  process: string;
  summary: string;
}

/** A part of a run's log: a JSON list of entries. Parts are only added. */
interface AgentRunPartTable {
  run_id: string;
  number: number;
  entries: string;
}

interface AgentThreadTable {
  /** JSON text of [owner, id], like every name in the agent's tables. */
  name: string;
  created_at: number;
  updated_at: number;
}

/** The messages of one turn as a JSON list. */
interface AgentThreadPartTable {
  thread: string;
  number: number;
  messages: string;
}

/** A thread with a turn in progress. It counts while the process lives. */
interface AgentThreadHoldTable {
  name: string;
  process: string;
}

interface AgentAnswerTable {
  name: string;
  hash: string;
  /** The process that works on the answer, or gave it. */
  process: string;
  /** Null: not given yet. */
  answer: string | null;
  expires_at: number;
}

/** A run that has not ended: an accepted turn, or a run that waits for approval. */
export interface AgentOpenRunTable {
  run_id: string;
  phase: "accepted" | "waiting";
  owner: string | null;
  /** Name of its thread. */
  thread: string | null;
  /** Name of its Idempotency-Key, in `agent_answer`. */
  answer: string | null;
  state: string;
  /** Null: an accepted turn. */
  expires_at: number | null;
  /** The process that executes it; another one may take it when that has died. Null: none. */
  process: string | null;
  /** Processes that took the accepted run since its last step. */
  tries: number;
  /** 1: it ends before its next step. */
  cancelled: number;
}

/** A completed step of an open run, as JSON. Steps are only added. */
interface AgentOpenRunStepTable {
  run_id: string;
  number: number;
  step: string;
}

/** A process that serves the agent, executes tied runs or rescores a run. `alive_until` is on the lease clock. */
interface AgentProcessTable {
  id: string;
  alive_until: number;
}

/**
 * Steps of own tools before a reply that hands tool calls to the client. `key` identifies the conversation up to that
 * point.
 */
interface AgentHandoverTable {
  key: string;
  owner: string | null;
  run_id: string;
  state: string;
  /** Characters of `state`. */
  size: number;
  expires_at: number;
}

/** A response that its client may continue, read or delete by its id. */
export interface AgentResponseTable {
  run_id: string;
  owner: string | null;
  /** The run of the response that this one continues. */
  previous: string | null;
  /** The first run of the chain, or the name of the thread: what expires together. */
  chain: string;
  /** Name of its thread. */
  thread: string | null;
  /** The request, with its new items. */
  request: string;
  /** Null: the turn has not ended. */
  body: string | null;
  created_at: number;
}

/** An API key made with `rehearsal keys create`: only its hash. Times are ISO strings, as in the key file. */
interface ApiKeyTable {
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

/** Uses of one scope by one API key in the current and the previous window. */
interface KeyRateTable {
  name: string;
  window_start: number;
  current: number;
  previous: number;
}

/** The private address of a world, and the process that answers there. */
export interface WorldEndpointTable {
  /** A hash of the secret part of the address. */
  id: string;
  process: string;
  run_id: string;
  /** The name of the attempt, as JSON text. */
  attempt: string;
  closed: Generated<number>;
  opened_at: number;
}

/** A request to such an address that another process received. */
export interface WorldRequestTable {
  id: string;
  endpoint: string;
  /** The process that has to answer. */
  process: string;
  request: string;
  response: string | null;
  sent_at: number;
}
