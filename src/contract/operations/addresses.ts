/**
 * Method and path of every route, by the name of its operation: the one place where a path is written. Free of schemas, so that the
 * page and the clients can load it. `{name}` is one segment of the path, `{name*}` one or more.
 */
const serviceAddresses = {
  getHealth: "GET /healthz",
  getReadiness: "GET /readyz",
  getMetrics: "GET /metrics",
} as const;

export const evaluationAddresses = {
  evaluate: "POST /evaluate",
  listRuns: "GET /runs",
  getRun: "GET /runs/{run_id}",
  getRunRequest: "GET /runs/{run_id}/request",
  getRunResults: "GET /runs/{run_id}/results",
  listRunScenarios: "GET /runs/{run_id}/scenarios",
  freezeConversation: "POST /runs/{run_id}/freeze",
  getRunEvents: "GET /runs/{run_id}/events",
  cancelRun: "POST /runs/{run_id}/cancel",
  changeRun: "PATCH /runs/{run_id}",
  deleteRun: "DELETE /runs/{run_id}",
  compareRuns: "GET /compare",
  judgePairs: "POST /compare",
  rankRuns: "GET /rank",
  getExperiment: "GET /experiments/{experiment_id}",
  measureNoise: "GET /noise",
  estimateRun: "POST /estimate",
  auditJudge: "POST /judges/audit",
  getRunSequence: "GET /runs/{run_id}/sequence",
  getScoreAgreement: "GET /runs/{run_id}/score-agreement",
  correlateVerdicts: "POST /runs/{run_id}/score-agreement",
  rescoreRun: "POST /runs/{run_id}/rescore",
  exportRun: "GET /runs/{run_id}/export",
  listVerdicts: "GET /runs/{run_id}/verdicts",
  storeVerdicts: "POST /runs/{run_id}/verdicts",
  reviewRun: "GET /runs/{run_id}/review",
  measureAgreement: "GET /runs/{run_id}/agreement",
  correctScores: "GET /runs/{run_id}/corrections",
  auditRunJudge: "POST /runs/{run_id}/audit",
  listScenarios: "GET /scenarios",
  keepScenarios: "POST /scenarios",
  importScenarios: "POST /scenarios/import",
  removeDemoScenarios: "DELETE /scenarios",
  getScenario: "GET /scenarios/{scenario_id}",
  listScenarioVersions: "GET /scenarios/{scenario_id}/versions",
  removeScenario: "DELETE /scenarios/{scenario_id}",
  ...serviceAddresses,
} as const;

export const agentAddresses = {
  runAgentTurn: "POST /",
  listStudioModels: "GET /studio/models",
  createChatCompletion: "POST /v1/chat/completions",
  createResponse: "POST /v1/responses",
  getResponse: "GET /v1/responses/{response_id}",
  deleteResponse: "DELETE /v1/responses/{response_id}",
  cancelResponse: "POST /v1/responses/{response_id}/cancel",
  streamUiMessages: "POST /agent/ui-messages",
  streamAgUi: "POST /agent/ag-ui",
  listModels: "GET /v1/models",
  getModel: "GET /v1/models/{model*}",
  resumeAgentRun: "POST /agent/runs/{run_id}/resume",
  listAgentRuns: "GET /agent/runs",
  getAgentRun: "GET /agent/runs/{run_id}",
  cancelAgentRun: "POST /agent/runs/{run_id}/cancel",
  replayAgentRun: "POST /agent/runs/{run_id}/replay",
  agentRunToScenario: "POST /agent/runs/{run_id}/scenario",
  listAgentThreads: "GET /agent/threads",
  getAgentThread: "GET /agent/threads/{thread_id}",
  deleteAgentThread: "DELETE /agent/threads/{thread_id}",
  getAgentUpstreams: "GET /agent/upstreams",
  listLocalServers: "GET /agent/local-servers",
  listModelProviders: "GET /agent/providers",
  testModelProvider: "POST /agent/providers/test",
  callMcp: "POST /mcp",
  getPage: "GET /",
  getPageConfig: "GET /page/config",
  ...serviceAddresses,
} as const;

const addresses = { ...evaluationAddresses, ...agentAddresses } as const;

type OperationAddresses = typeof addresses;

/** The name of an operation. */
export type OperationId = keyof OperationAddresses;

type Names<Path> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Long}*` ? Long : Name) | Names<Rest>
  : never;

/** The names in the path of an address. */
export type PathParameter<Address extends string = string> = string extends Address ? string : Names<Address>;

export type AddressOf<Id extends OperationId> = OperationAddresses[Id];

/** The method, and the path with its parameters filled in. */
export function fillAddress(
  id: OperationId,
  parameters: Readonly<Record<string, string>> = {},
): { readonly method: string; readonly path: string } {
  const [method = "", template = ""] = addresses[id].split(" ");
  const path = template.replaceAll(/\{(\w+)(\*?)\}/g, (_, name: string, long: string) => {
    const value = (parameters[name] ?? "").toWellFormed();
    return long === "" ? encodeURIComponent(value) : value.split("/").map(encodeURIComponent).join("/");
  });
  return { method, path };
}

/** The address of an operation, as it is declared. */
export function declaredAddress<Id extends OperationId>(id: Id): AddressOf<Id> {
  return addresses[id];
}
