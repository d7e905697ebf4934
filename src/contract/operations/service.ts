import { Health, PageConfig } from "../schemas/shared/service-info.ts";
import { defineOperation, type Operation } from "./operation.ts";

export const getHealth = defineOperation("getHealth", {
  summary: "Check that the process is alive",
  tag: "Service",
  scope: "public",
  duringOverload: true,
  responses: { 200: { description: "The process is alive.", schema: Health } },
  errors: [],
});

export const getReadiness = defineOperation("getReadiness", {
  summary: "Check that the service accepts requests",
  tag: "Service",
  scope: "public",
  duringOverload: true,
  responses: {
    200: { description: "The service accepts requests. `detail` names a part that does not work.", schema: Health },
  },
  errors: ["shutting_down", "storage_unavailable"],
});

/** The evaluation service takes runs only while it can store them. */
export const getEvaluationReadiness = {
  ...getReadiness,
  summary: "Check that the service accepts runs",
  errors: [...getReadiness.errors, "storage_full"],
} as const satisfies Operation;

export const getMetrics = defineOperation("getMetrics", {
  summary: "Get Prometheus metrics: turns, failures, tool calls, tokens and durations",
  tag: "Service",
  scope: "runs:read",
  responses: { 200: { description: "Prometheus text.", mediaTypes: ["text/plain"] } },
  errors: [],
});

export const getEvaluationMetrics = {
  ...getMetrics,
  summary: "Get Prometheus metrics: runs by state, attempts that wait and run, workers",
  errors: ["storage_unavailable"],
} as const satisfies Operation;

export const getPage = defineOperation("getPage", {
  summary: "Open the web page",
  tag: "Page",
  scope: "public",
  responses: { 200: { description: "The page's document.", mediaTypes: ["text/html"] } },
  errors: ["not_found"],
});

export const getPageConfig = defineOperation("getPageConfig", {
  summary: "Get the settings of the web page",
  tag: "Page",
  scope: "public",
  responses: { 200: { description: "Addresses, version and the models known by name.", schema: PageConfig } },
  errors: [],
});
