import { useMutation } from "@tanstack/react-query";
import { Scale } from "lucide-react";
import { auditRule } from "../../src/evaluation/judges/judge-question.ts";
import { auditJudge } from "../audit-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { formatCount, formatInteger } from "../parts/format.ts";
import type { AuditQuestion } from "./audit-questions.ts";
import { AuditResult } from "./audit-result.tsx";
import { missingWords } from "./missing-words.ts";
import type { SampledReply } from "./reply-sample.ts";

/** Each reply is judged twice, and held against its reference in both orders. */
const mostCallsEach = 4;

interface AskTheJudgeProps {
  readonly runId: string;
  readonly question: AuditQuestion;
  readonly items: readonly (Omit<SampledReply, "key"> & { readonly human: string })[];
}

/** The end of an audit: the judge is asked about the same replies, and what both said is compared. */
export function AskTheJudge({ runId, question, items }: AskTheJudgeProps) {
  const audit = useMutation({
    mutationFn: () =>
      auditJudge({
        judge: question.judge,
        items: items.map(({ conversation_before, reference_reply, ...item }) => ({
          ...item,
          conversation_before: [...conversation_before],
          ...(reference_reply !== "" && { reference_reply }),
        })),
      }),
  });
  const missing = missingWords(items.map(({ human }) => human));
  return (
    <section aria-label="The judge" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <button
          type="button"
          className="button button-primary"
          disabled={items.length < auditRule.items}
          aria-disabled={audit.isPending}
          onClick={() => audit.isPending || audit.mutate()}
        >
          <Scale aria-hidden size={14} /> {audit.isPending ? "Asking …" : "Ask the judge"}
        </button>
        <p className="min-w-0 flex-1 basis-60 text-soft">
          {missing ??
            `It is asked about ${formatCount(items.length, "reply", "replies")}, with at most ${formatInteger(mostCallsEach * items.length)} calls.`}
        </p>
      </div>
      {audit.error && <FailedNotice error={audit.error} />}
      {audit.data && <AuditResult runId={runId} audit={audit.data} />}
    </section>
  );
}
