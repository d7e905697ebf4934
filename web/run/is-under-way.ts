import type { Run } from "../../src/contract/schemas/run.ts";
import { isKeyRefused } from "../api-error.ts";
import { isEnded } from "../parts/run-state.ts";
import { isGone } from "./is-gone.ts";

/** Whether what was last read of a run may still change. With a key that is refused nobody can tell, until another is entered. */
export const isUnderWay = ({ data, error }: { data: Run | undefined; error: Error | null }): boolean =>
  data !== undefined && !isEnded(data.state) && !isGone(error) && !isKeyRefused(error);
