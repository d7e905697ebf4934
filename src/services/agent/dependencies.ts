import type { AgentLimits, TokenPrice } from "../../agent/loop/agent-limits.ts";
import type { ToolSupport } from "../../agent/prompted/tool-support.ts";
import type { Tool } from "../../agent/tools/tool.ts";
import type { AgentMemory } from "../../contract/ports/agent-memory.ts";
import type { UpstreamBreaker } from "../../contract/schemas/models.ts";
import type { DemoEndpoint } from "../../models/demo/demo-endpoint.ts";
import type { LocalServer } from "../../models/local-servers/detect-local-servers.ts";
import type { Router } from "../../models/routing/router.ts";
import type { RouteLimits } from "../../models/routing/route-limits.ts";
import type { StudioList } from "../../models/studio/studio-registry.ts";
import type { ScenarioLibrary } from "../../runs/scenario-library.ts";
import type { ReadJsonLimits } from "../http/body/read-json.ts";
import type { ShellDependencies } from "../http/shell.ts";
import type { ConfiguredProvider } from "./observers/provider-health.ts";
import type { PageParts } from "./routes/page.ts";
import type { Runner } from "./turns/create-turns.ts";
import type { TurnObserver } from "./turns/turn.ts";
import type { UnderWay } from "./turns/under-way.ts";

/** What the agent backend is made of. */
export interface AgentDependencies extends ShellDependencies {
  readonly router: Router;
  readonly listStudioModels: () => Promise<StudioList>;
  /** Asked for each turn: the tools of MCP servers come and go. */
  readonly tools: () => readonly Tool[];
  readonly limits: Partial<AgentLimits>;
  readonly maxMessages: number;
  /** How long a stream may say nothing before it is opened: what fails in this time is still an ordinary status. */
  readonly patienceMs: number;
  /** The built-in models as an endpoint; null when the demo is off. */
  readonly demo: DemoEndpoint | null;
  readonly page: PageParts;
  readonly bodyLimits: ReadJsonLimits;
  /** Carries out the turns. Default: our own loop. */
  readonly runner?: Runner | undefined;
  readonly toolSupport?: ToolSupport | undefined;
  /** Who serves the models, for GET /agent/upstreams. */
  readonly providers?: readonly ConfiguredProvider[] | undefined;
  /** Looks for model servers on this machine. Rejects only when the signal aborts. */
  readonly findLocalServers?: ((signal: AbortSignal) => Promise<readonly LocalServer[]>) | undefined;
  /** The circuit breakers of the outbound client, for GET /agent/upstreams. */
  readonly breakers?: (() => readonly UpstreamBreaker[]) | undefined;
  /** What waits for each model, for GET /agent/upstreams. */
  readonly routeLimits?: RouteLimits | undefined;
  /** Money per token of a model, for budgets and the run log. */
  readonly price?: ((resolved: string) => TokenPrice | undefined) | undefined;
  /** Told of every turn, beside the run log and the metrics. Default: traces for whatever OpenTelemetry is set up. */
  readonly observers?: readonly TurnObserver[] | undefined;
  /** For whoever stops the service: it learns there when turns have ended. */
  readonly underWay?: UnderWay | undefined;
  /** Runs, threads, answers and waiting runs. Whoever hands it in tidies it. */
  readonly memory: Omit<AgentMemory, "tidy">;
  /** Where scenarios made of recorded runs are kept. */
  readonly library: Pick<ScenarioLibrary, "keep">;
}
