import type { ApiExamples } from "./api-example.ts";

const at = "http://127.0.0.1:8001";
const json = "-H 'Content-Type: application/json'";
const judge = `"judge": { "endpoint": "http://127.0.0.1:8000/demo/v1", "model_id": "demo/scripted" }`;

export const evaluationExamples: ApiExamples = {
  evaluate: {
    command: `curl -s ${at}/evaluate ${json} -d '{
  "test_batch": {
    "id": "delivery",
    "interactions": [
      {
        "id": "1", "user_message": "How long does delivery take?", "reference_reply": "Two to three working days.",
        "checks": [{ "type": "contains", "text": "3 working days" }]
      },
      { "id": "2", "user_message": "Thank you!", "reference_reply": "You are welcome." }
    ]
  },
  "endpoint": "http://127.0.0.1:8000/demo/v1",
  "model_id": "demo/retrieval",
  "attempts": 2
}'`,
    status: 200,
    keep: { name: "run_id", field: "run_id" },
  },
  listRuns: { command: `curl -s '${at}/runs?limit=10&state=completed'`, status: 200 },
  getRun: { command: `curl -s ${at}/runs/$run_id`, status: 200 },
  getRunRequest: { command: `curl -s ${at}/runs/$run_id/request`, status: 200 },
  getRunResults: { command: `curl -s ${at}/runs/$run_id/results`, status: 200 },
  listRunScenarios: { command: `curl -s '${at}/runs/'$run_id'/scenarios?limit=20'`, status: 200 },
  freezeConversation: {
    command: `curl -s ${at}/runs/$run_id/freeze ${json} -d '{ "scenario_id": "delivery", "attempt": 1 }'`,
    status: 200,
  },
  getRunEvents: { command: `curl -sN ${at}/runs/$run_id/events`, status: 200 },
  rescoreRun: { command: `curl -s ${at}/runs/$run_id/rescore ${json} -d '{ "ask_models": false }'`, status: 200 },
  getRunSequence: { command: `curl -s ${at}/runs/$run_id/sequence`, status: 404 },
  getScoreAgreement: { command: `curl -s ${at}/runs/$run_id/score-agreement`, status: 200 },
  correlateVerdicts: {
    command: `curl -s ${at}/runs/$run_id/score-agreement ${json} -d '{
  "verdicts": [
    { "scenario_id": "delivery", "attempt": 1, "interaction_id": "1", "value": 1 },
    { "scenario_id": "delivery", "attempt": 2, "interaction_id": "1", "value": 0 }
  ]
}'`,
    status: 200,
  },
  exportRun: { command: `curl -s '${at}/runs/'$run_id'/export?format=junit'`, status: 200 },
  compareRuns: {
    command: `curl -s "${at}/compare?baseline=$other_run_id&candidate=$run_id"`,
    status: 200,
  },
  judgePairs: {
    command: `curl -s ${at}/compare ${json} -d '{
  "baseline": "'$other_run_id'", "candidate": "'$run_id'",
  ${judge}, "limit": 20
}'`,
    status: 200,
  },
  rankRuns: { command: `curl -s "${at}/rank?runs=$run_id,$other_run_id"`, status: 200 },
  getExperiment: { command: `curl -s ${at}/experiments/$run_id`, status: 404 },
  measureNoise: { command: `curl -s "${at}/noise?runs=$run_id,$other_run_id"`, status: 200 },
  estimateRun: {
    command: `curl -s ${at}/estimate ${json} -d '{
  "test_batch": { "id": "delivery", "interactions": [{ "id": "1", "user_message": "How long does delivery take?" }] },
  "endpoint": "http://127.0.0.1:8000/demo/v1", "model_id": "demo/retrieval", "attempts": 20
}'`,
    status: 200,
  },
  auditJudge: {
    command: `curl -s ${at}/judges/audit ${json} -d '{
  ${judge},
  "items": [
    { "user_message": "How long?", "reply": "Two days.", "reference_reply": "Two days.", "human": "equivalent" },
    { "user_message": "How long?", "reply": "No idea.", "reference_reply": "Two days.", "human": "contradicts" }
  ]
}'`,
    status: 200,
  },
  changeRun: {
    command: `curl -s -X PATCH ${at}/runs/$run_id ${json} -d '{ "test_name": "nightly", "tags": ["release-2"] }'`,
    status: 200,
  },
  storeVerdicts: {
    command: `curl -s ${at}/runs/$run_id/verdicts ${json} -d '{
  "rater": "ada",
  "verdicts": [{ "scenario_id": "delivery", "turn_index": 0, "question": "review", "choice": "pass", "comment": "Clear." }]
}'`,
    status: 200,
  },
  listVerdicts: { command: `curl -s '${at}/runs/'$run_id'/verdicts?format=csv'`, status: 200 },
  reviewRun: { command: `curl -s '${at}/runs/'$run_id'/review?rater=ada&order=stratified&limit=10'`, status: 200 },
  measureAgreement: { command: `curl -s ${at}/runs/$run_id/agreement`, status: 200 },
  correctScores: { command: `curl -s ${at}/runs/$run_id/corrections`, status: 200 },
  auditRunJudge: { command: `curl -s ${at}/runs/$run_id/audit ${json} -d '{ "repeats": 1 }'`, status: 422 },
  cancelRun: { command: `curl -s -X POST ${at}/runs/$run_id/cancel`, status: 409 },
  deleteRun: { command: `curl -s -X DELETE ${at}/runs/$run_id`, status: 204 },
  keepScenarios: {
    command: `curl -s ${at}/scenarios ${json} -d '{
  "id": "delivery", "interactions": [{ "id": "1", "user_message": "How long does delivery take?" }]
}'`,
    status: 200,
  },
  importScenarios: {
    command: `curl -s ${at}/scenarios/import ${json} -d '{
  "name": "questions.csv", "text": "question,answer\\nHow long?,Two days.\\n", "dry_run": true
}'`,
    status: 200,
  },
  listScenarios: { command: `curl -s '${at}/scenarios?format=yaml'`, status: 200 },
  getScenario: { command: `curl -s ${at}/scenarios/delivery`, status: 200 },
  listScenarioVersions: { command: `curl -s ${at}/scenarios/delivery/versions`, status: 200 },
  removeScenario: { command: `curl -s -X DELETE ${at}/scenarios/delivery`, status: 204 },
  removeDemoScenarios: { command: `curl -s -X DELETE ${at}/scenarios`, status: 204 },
  getHealth: { command: `curl -s ${at}/healthz`, status: 200 },
  getMetrics: { command: `curl -s ${at}/metrics`, status: 200 },
  getReadiness: { command: `curl -s ${at}/readyz`, status: 200 },
};
