import type { Logger } from "pino";
import type { AgentLimits } from "../../agent/agent-limits.ts";
import type { Tool } from "../../agent/tool.ts";
import type { PageConfig } from "../../contract/page-config.ts";
import type { DemoEndpoint } from "../../models/demo/demo-endpoint.ts";
import type { Router } from "../../models/routing/choose-provider.ts";
import type { StudioList } from "../../models/studio/studio-registry.ts";
import type { ApiKey } from "../../settings/api-keys.ts";
import type { Readiness } from "../http/health.ts";
import type { ReadJsonLimits } from "../http/read-json.ts";

/** What the agent backend is made of. */
export interface AgentDependencies {
  readonly router: Router;
  readonly listStudioModels: () => Promise<StudioList>;
  readonly tools: readonly Tool[];
  readonly limits: Partial<AgentLimits>;
  readonly maxMessages: number;
  /** The built-in models as an endpoint; null when the demo is off. */
  readonly demo: DemoEndpoint | null;
  readonly page: { readonly folder: string; readonly config: () => PageConfig };
  readonly log: Logger;
  readonly version: string;
  readonly bodyLimits: ReadJsonLimits;
  readonly apiKeys: readonly ApiKey[];
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: () => readonly string[];
  readonly readiness: Readiness;
}
