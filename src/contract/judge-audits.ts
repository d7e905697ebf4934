import type { JudgeAudit } from "./judge-audit.ts";

/** What is known about judges: the last audit of each counts. */
export interface JudgeAudits {
  record(audit: JudgeAudit, at: number): Promise<void>;
  /** True when the judge's last audit was passed. */
  hasPassed(fingerprint: string): Promise<boolean>;
}
