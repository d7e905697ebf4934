import { withSystemReason } from "../system-reason.ts";

/** One thing `doctor` looked at. `problem` is what stops the product, `notice` what someone may want to know. */
export interface Check {
  readonly name: string;
  readonly state: "ok" | "notice" | "problem";
  readonly detail: string;
}

export const ok = (name: string, detail: string): Check => ({ name, state: "ok", detail });
export const notice = (name: string, detail: string): Check => ({ name, state: "notice", detail });
export const problem = (name: string, detail: string): Check => ({ name, state: "problem", detail });

/** A check that could not be made is a problem with its reason, not the end of all checks. */
export async function attempt(name: string, check: () => Promise<Check | readonly Check[]>): Promise<readonly Check[]> {
  try {
    return [await check()].flat();
  } catch (error) {
    return [problem(name, error instanceof Error ? withSystemReason(error) : String(error))];
  }
}
