import type { ByteBudget } from "../base/byte-budget.ts";
import type { Embedder } from "../contract/ports/embedder.ts";
import type { RunPolicy } from "../contract/schemas/endpoint-policy.ts";
import type { RunSettings } from "../contract/schemas/evaluation-request.ts";
import type { JudgeAudits } from "../contract/ports/library.ts";
import type { Limits } from "../contract/ports/limits.ts";
import type { ChatModel } from "../contract/ports/chat-model.ts";
import type { Queue } from "../contract/ports/queue.ts";
import type { MostUnfinished, Store } from "../contract/ports/store.ts";
import type { PriceOf } from "../evaluation/budget/helper-usage.ts";
import type { CustomScorers } from "../evaluation/scorers/custom-scorer.ts";
import type { ModelTarget } from "./model-target.ts";
import type { PlanHelpers } from "./option-problems.ts";
import type { RescoreOptions } from "./rescore-run.ts";
import type { StoreTrouble } from "./store-trouble.ts";

/** What runs are made of. */
export interface RunsOptions {
  readonly store: Store;
  readonly queue: Queue;
  /** The model a run is asked to test. */
  readonly createModel: (target: ModelTarget) => ChatModel;
  /** A judge or a labeller. Default: made like the model under test. */
  readonly createHelper?: (target: ModelTarget) => ChatModel;
  /** Called when a stop begins: models need not wait any more for endpoints that are down or ask for time. */
  readonly onStopping?: () => void;
  /** True when a scripted demo model will answer. */
  readonly isDemo: (settings: RunSettings) => boolean;
  readonly workerId: string;
  readonly newId: () => string;
  /** Calls at once in this process, attempts at once of a run that does not say how many it wants, and calls at once to one origin. */
  readonly concurrency: { readonly global: number; readonly perRun: number; readonly perOrigin?: number };
  /** Carries out these runs and those that are created here; others are left to others. Default: any run of the store. */
  readonly ownRuns?: readonly string[] | undefined;
  /** Whether nobody else can carry a run out: what it tests lives in this process. Default: none is so. */
  readonly isTied?: (settings: RunSettings) => boolean;
  /** Where the calls of a new run may go, whichever process makes them. Default: wherever that process may call. */
  readonly policyOf?: (settings: RunSettings) => RunPolicy;
  readonly checkEndpoint?: RescoreOptions["checkEndpoint"];
  /** New runs are refused while there are so many unfinished ones. Default: never. */
  readonly mostUnfinished?: MostUnfinished;
  /** Memory for runs being carried out. Attempts wait for theirs. Default: not counted. */
  readonly memory?: ByteBudget | undefined;
  readonly heartbeatMs: number;
  readonly onError: (error: unknown) => void;
  /** Hears of the failures of others who use the store too. Default: of those met here alone. */
  readonly trouble?: StoreTrouble;
  readonly now?: () => number;
  /** What an operator adds: all of it optional. */
  readonly embedderFor?: (settings: RunSettings) => Promise<Embedder | null>;
  readonly limits?: Limits;
  readonly customScorers?: CustomScorers;
  /** The price of a call of this model. */
  readonly priceOf?: (target: ModelTarget) => PriceOf;
  /** What stands in for what requests do not name; audits and comparisons by a judge use it too. */
  readonly helpers?: PlanHelpers;
  /** Where audits of judges are kept: scores of a judge that passed none are marked. */
  readonly audits?: JudgeAudits;
}
