import type { z } from "zod";
import type { JudgeAudit, JudgeAuditRequest } from "../src/contract/schemas/judge-audit.ts";
import { evaluationUrl, readJson } from "./http.ts";

/** Holds a judge against what people said of the same replies. Asks it several times about each. */
export const auditJudge = async (body: z.input<typeof JudgeAuditRequest>): Promise<JudgeAudit> =>
  readJson(await evaluationUrl("/judges/audit"), { method: "POST", body: JSON.stringify(body) });
