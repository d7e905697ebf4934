import { Health } from "../schemas/service-info.ts";
import type { Operation } from "./operation.ts";

export const healthz: Operation = {
  id: "getHealth",
  method: "get",
  path: "/healthz",
  summary: "Is the process alive?",
  tag: "Service",
  responses: { 200: { description: "It is.", schema: Health } },
  errors: [],
};

export const readyz: Operation = {
  id: "getReadiness",
  method: "get",
  path: "/readyz",
  summary: "Does it take requests?",
  tag: "Service",
  responses: { 200: { description: "It does. `detail` says what does not work meanwhile.", schema: Health } },
  errors: ["shutting_down", "storage_unavailable"],
};
