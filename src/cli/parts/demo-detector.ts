import type { RunSettings } from "../../contract/schemas/evaluation-request.ts";
import { isServedAgent, type Served } from "./served.ts";

/** Tells whether a run will be answered by our own scripted models, so that it can be marked as a demo. */
export function demoDetector(served: Served): (settings: RunSettings) => boolean {
  return ({ endpoint, model_id }) => {
    if (served.demo === null || !isServedAgent(served, endpoint)) return false;
    return [...served.demo.ids, ...Object.keys(served.demo.studio)].includes(model_id);
  };
}
