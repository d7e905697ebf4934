import type { ByteBudget } from "../base/byte-budget.ts";
import type { Embedder } from "../contract/ports/embedder.ts";
import type { RunPolicy } from "../contract/schemas/shared/endpoint-policy.ts";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { JudgeAudits } from "../contract/ports/library.ts";
import type { Limits } from "../contract/ports/limits.ts";
import type { ChatModel } from "../contract/ports/chat-model.ts";
import type { Queue } from "../contract/ports/queue.ts";
import type { WorldEndpoints } from "../contract/ports/world-endpoints.ts";
import type { UnfinishedLimits, Store } from "../contract/ports/store.ts";
import type { PriceOf } from "../evaluation/helpers/helper-usage.ts";
import type { CheckCode } from "./user-code/check-code.ts";
import type { CustomScorers } from "../evaluation/scorers/custom-scorer.ts";
import type { ModelTarget } from "./plan/model-target.ts";
import type { PlanHelpers } from "./plan/option-problems.ts";
import type { PlannedEndpoint } from "./plan/endpoints.ts";
import type { StoreOutageMonitor } from "./stored/store-outage.ts";
import type { WorldModules } from "./user-code/world-modules.ts";

/** All that runs are planned, executed and rescored with, made once per process and handed on whole. */
export interface RunServices {
  readonly store: Store;
  readonly queue: Queue;
  /** The model under test. */
  readonly createModel: (target: ModelTarget) => ChatModel;
  /** A judge or a labeller. Default: created like the model under test. */
  readonly createHelper?: (target: ModelTarget) => ChatModel;
  /** Called when a shutdown begins: models stop waiting for endpoints that are down or rate-limited. */
  readonly onStopping?: () => void;
  /** True when a scripted demo model will answer. */
  readonly isDemo: (settings: RunSettings) => boolean;
  readonly workerId: string;
  readonly newId: () => string;
  /**
   * Concurrent calls in this process, concurrent attempts of a run without its own setting, and concurrent calls to one origin.
   */
  readonly concurrency: { readonly global: number; readonly perRun: number; readonly perOrigin?: number };
  /** Executes only these runs and those created here. Default: any run of the store. */
  readonly ownRuns?: readonly string[] | undefined;
  /** Memory for running attempts, which wait for their share. Default: not counted. */
  readonly memory?: ByteBudget | undefined;
  /** True when only this process can execute the run, since the agent under test lives in it. Default: false. */
  readonly isTied?: (settings: RunSettings) => boolean;
  /** The endpoints that a new run may call, in any process. Default: those allowed to the process. */
  readonly policyOf?: (settings: RunSettings) => RunPolicy;
  /** Throws when a judge or labeller may not be called under the policy of this process or of the run. Default: all may. */
  readonly checkEndpoint?: ((planned: PlannedEndpoint, policy: RunPolicy | null) => void) | undefined;
  /** The limit of unfinished runs, beyond which new ones are refused. Default: none. */
  readonly mostUnfinished?: UnfinishedLimits | undefined;
  readonly heartbeatMs: number;
  readonly onError: (error: unknown) => void;
  /** Shared with other users of the store. Default: sees only failures of runs. */
  readonly storeOutage?: StoreOutageMonitor;
  readonly now?: () => number;
  /** Optional parts added by the operator. */
  readonly embedderFor?: (settings: RunSettings) => Promise<Embedder | null>;
  readonly limits?: Limits;
  readonly customScorers?: CustomScorers;
  /** Run the modules of worlds. Runs with such worlds are tied to the process that creates them, or that resumes them. */
  readonly worldModules?: WorldModules | undefined;
  /** Runs code of users in checks and transforms. Default: runs with such checks are refused. */
  readonly checkCode?: CheckCode | undefined;
  /** Open private endpoints for agents with a tool loop of their own. */
  readonly worldEndpoints?: WorldEndpoints | undefined;
  /** The price of a call of this model. */
  readonly priceOf?: (target: ModelTarget) => PriceOf;
  /** Defaults for judges and labellers that requests do not name, also for audits and pairwise comparisons. */
  readonly helpers?: PlanHelpers;
  /** Stores audits of judges: scores of a judge without a passed audit are marked. */
  readonly audits?: JudgeAudits;
}
