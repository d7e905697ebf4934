import type { AgentLimits, TokenPrice } from "../../agent/tools/agent-limits.ts";
import type { ToolSupport } from "../../agent/prompted/tool-support.ts";
import type { Tool } from "../../agent/tools/tool.ts";
import type { AgentMemory } from "../../contract/ports/agent-memory.ts";
import type { ModelProtocol } from "../../contract/schemas/evaluation-request.ts";
import type { ConnectionTest, ModelProviderList, UpstreamBreaker } from "../../contract/schemas/agent/models.ts";
import type { DemoEndpoint } from "../../models/demo/demo-endpoint.ts";
import type { LocalServer } from "../../models/local-servers/detect-local-servers.ts";
import type { Router } from "../../models/routing/router.ts";
import type { RouteLimits } from "../../models/routing/route-limits.ts";
import type { StudioList } from "../../models/studio/studio-registry.ts";
import type { ScenarioLibrary } from "../../runs/scenario-library.ts";
import type { HealthParts } from "../http/health.ts";
import type { ShellDependencies } from "../http/shell.ts";
import type { ConfiguredProvider } from "./observers/provider-health.ts";
import type { PageParts } from "./routes/page-files.ts";
import type { ActiveTurns } from "./turns/active-turns.ts";
import type { Runner } from "./turns/agent-turn.ts";
import type { TurnObserver } from "./turns/turn.ts";
import type { OpenWorld } from "./turns/turns.ts";

/** Providers that are or could be connected. */
export interface Connections {
  list(): ModelProviderList;
  /** `provider` is null for an address of the user. Rejects only when the signal aborts. */
  test(
    target: { provider: string | null; base_url: string | null; protocol: ModelProtocol },
    options: { model: string | undefined; signal: AbortSignal },
  ): Promise<ConnectionTest>;
}

/** Everything the agent backend is given. */
export interface AgentDependencies extends ShellDependencies, HealthParts {
  readonly router: Router;
  readonly listStudioModels: () => Promise<StudioList>;
  /** Called for each turn, because tools of MCP servers come and go. */
  readonly tools: () => readonly Tool[];
  /** Tools that requests under /v1 get only when they name them. Default: none. */
  readonly implicitTools?: ReadonlySet<string>;
  /** Opens the tools of the test world that a turn names. Default: such turns are refused. */
  readonly openWorld?: OpenWorld | undefined;
  readonly limits: Partial<AgentLimits>;
  readonly maxMessages: number;
  /** How long a response waits for the first event of a stream: an error in this time is reported with an HTTP status. */
  readonly patienceMs: number;
  /** The built-in models as an endpoint; null when the demo is off. */
  readonly demo: DemoEndpoint | null;
  readonly page: PageParts;
  /** Runs the turns. Default: the built-in loop. */
  readonly runner?: Runner | undefined;
  readonly toolSupport?: ToolSupport | undefined;
  /** The configured providers, for GET /agent/upstreams. */
  readonly providers?: readonly ConfiguredProvider[] | undefined;
  /** Looks for model servers on this machine. Rejects only when the signal aborts. */
  readonly findLocalServers?: ((signal: AbortSignal) => Promise<readonly LocalServer[]>) | undefined;
  /** Lists and tests the providers of models, for GET /agent/providers. */
  readonly connections?: Connections | undefined;
  /** The circuit breakers of the outbound client, for GET /agent/upstreams. */
  readonly breakers?: (() => readonly UpstreamBreaker[]) | undefined;
  /** Running and waiting calls of each model, for GET /agent/upstreams. */
  readonly routeLimits?: RouteLimits | undefined;
  /** The price per token of a model, for budgets and the run log. */
  readonly price?: ((resolved: string) => TokenPrice | undefined) | undefined;
  /** Called for every turn, in addition to the run log and the metrics. Default: OpenTelemetry traces, if a tracer is registered. */
  readonly observers?: readonly TurnObserver[] | undefined;
  /** Lets the process that stops the service wait for running turns. */
  readonly activeTurns?: ActiveTurns | undefined;
  /** Runs, threads, answers and waiting runs. The caller tidies it. */
  readonly memory: Omit<AgentMemory, "tidy">;
  /** Stores scenarios made from recorded runs. */
  readonly library: Pick<ScenarioLibrary, "keep">;
}
