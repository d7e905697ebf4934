import { Health, PageConfig } from "../schemas/service-info.ts";
import type { Operation } from "./operation.ts";

export const healthz: Operation = {
  id: "getHealth",
  method: "get",
  path: "/healthz",
  summary: "Check that the process is alive",
  tag: "Service",
  responses: { 200: { description: "The process is alive.", schema: Health } },
  errors: [],
};

export const readyz: Operation = {
  id: "getReadiness",
  method: "get",
  path: "/readyz",
  summary: "Check that the service accepts requests",
  tag: "Service",
  responses: {
    200: { description: "The service accepts requests. `detail` names a part that does not work.", schema: Health },
  },
  errors: ["shutting_down", "storage_unavailable"],
};

export const getAgentMetrics: Operation = {
  id: "getMetrics",
  method: "get",
  path: "/metrics",
  summary: "Get Prometheus metrics: turns, failures, tool calls, tokens and durations",
  tag: "Service",
  scope: "runs:read",
  responses: { 200: { description: "Prometheus text.", mediaTypes: ["text/plain"] } },
  errors: [],
};

export const getPage: Operation = {
  id: "getPage",
  method: "get",
  path: "/",
  summary: "Open the web page",
  tag: "Page",
  responses: { 200: { description: "The page's document.", mediaTypes: ["text/html"] } },
  errors: ["not_found"],
};

export const getPageConfig: Operation = {
  id: "getPageConfig",
  method: "get",
  path: "/page/config",
  summary: "Get the settings of the web page",
  tag: "Page",
  responses: { 200: { description: "Addresses, version and the models known by name.", schema: PageConfig } },
  errors: [],
};
