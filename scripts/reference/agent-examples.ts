import type { ApiExamples } from "./api-example.ts";

const at = "http://127.0.0.1:8000";
const json = "-H 'Content-Type: application/json'";

export const agentExamples: ApiExamples = {
  runAgentTurn: {
    command: `curl -s ${at}/ ${json} -H 'x-model-id: demo/scripted' -H 'x-thread-id: sums' -d '{
  "messages": [{ "type": "human", "content": "What is 17 * 23?" }]
}'`,
    status: 200,
    keep: { name: "run_id", header: "x-run-id" },
  },
  listAgentRuns: { command: `curl -s '${at}/agent/runs?limit=10'`, status: 200 },
  getAgentRun: { command: `curl -s ${at}/agent/runs/$run_id`, status: 200 },
  replayAgentRun: { command: `curl -s -X POST ${at}/agent/runs/$run_id/replay`, status: 200 },
  agentRunToScenario: { command: `curl -s -X POST ${at}/agent/runs/$run_id/scenario`, status: 200 },
  resumeAgentRun: {
    command: `curl -s ${at}/agent/runs/$run_id/resume ${json} -d '{ "decisions": { "call-1": "approve" } }'`,
    // No tool of the demo needs approval, so this run is over.
    status: 409,
  },
  cancelAgentRun: {
    command: `curl -s -X POST ${at}/agent/runs/$run_id/cancel`,
    // This run is over, too.
    status: 409,
  },
  listAgentThreads: { command: `curl -s ${at}/agent/threads`, status: 200 },
  getAgentThread: { command: `curl -s ${at}/agent/threads/sums`, status: 200 },
  deleteAgentThread: { command: `curl -s -X DELETE ${at}/agent/threads/sums`, status: 204 },
  createChatCompletion: {
    command: `curl -s ${at}/v1/chat/completions ${json} -d '{
  "model": "demo/scripted", "messages": [{ "role": "user", "content": "What is 17 * 23?" }]
}'`,
    status: 200,
  },
  createResponse: {
    command: `curl -s ${at}/v1/responses ${json} -d '{ "model": "demo/scripted", "input": "What is 17 * 23?" }'`,
    status: 200,
    keep: { name: "response_id", field: "id" },
  },
  getResponse: { command: `curl -s ${at}/v1/responses/$response_id`, status: 200 },
  cancelResponse: { command: `curl -s -X POST ${at}/v1/responses/$response_id/cancel`, status: 200 },
  deleteResponse: { command: `curl -s -X DELETE ${at}/v1/responses/$response_id`, status: 200 },
  streamUiMessages: {
    command: `curl -sN ${at}/agent/ui-messages ${json} -d '{
  "model": "demo/scripted",
  "messages": [{ "id": "1", "role": "user", "parts": [{ "type": "text", "text": "What is 17 * 23?" }] }]
}'`,
    status: 200,
  },
  streamAgUi: {
    command: `curl -sN ${at}/agent/ag-ui ${json} -d '{
  "threadId": "sums",
  "runId": "1",
  "messages": [{ "id": "1", "role": "user", "content": "What is 17 * 23?" }],
  "forwardedProps": { "model": "demo/scripted" }
}'`,
    status: 200,
  },
  listModels: { command: `curl -s ${at}/v1/models`, status: 200 },
  getModel: { command: `curl -s ${at}/v1/models/demo/scripted`, status: 200 },
  callMcp: {
    command: `curl -s ${at}/mcp ${json} -H 'Accept: application/json, text/event-stream' -d '{
  "jsonrpc": "2.0", "id": 1, "method": "tools/list"
}'`,
    status: 200,
  },
  getAgentUpstreams: { command: `curl -s ${at}/agent/upstreams`, status: 200 },
  listModelProviders: { command: `curl -s ${at}/agent/providers`, status: 200 },
  testModelProvider: {
    command: `curl -s ${at}/agent/providers/test ${json} -d '{ "provider": "ollama" }'`,
    status: 200,
  },
  listLocalServers: { command: `curl -s ${at}/agent/local-servers`, status: 200 },
  getMetrics: { command: `curl -s ${at}/metrics`, status: 200 },
  listStudioModels: { command: `curl -s ${at}/studio/models`, status: 200 },
  getPage: { command: `curl -s ${at}/`, status: 200 },
  getPageConfig: { command: `curl -s ${at}/page/config`, status: 200 },
  getHealth: { command: `curl -s ${at}/healthz`, status: 200 },
  getReadiness: { command: `curl -s ${at}/readyz`, status: 200 },
};
