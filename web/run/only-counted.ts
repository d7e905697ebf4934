import type { Run } from "../../src/contract/schemas/run.ts";
import { isEnded } from "../parts/run-state.ts";
import { isLarge } from "./use-run.ts";

/** Of a large run that goes on, turns are counted; what they are worth is read once, when it has ended. */
export const onlyCounted = (run: Run): boolean => isLarge(run) && !isEnded(run.state);
