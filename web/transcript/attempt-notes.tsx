import type { AttemptResult } from "../../src/contract/evaluation-response.ts";
import { JudgementList } from "./judgement-list.tsx";

/** What is said of an attempt as a whole: the judge's word on the conversation, and how its replay went. */
export function AttemptNotes({ attempt }: { attempt: AttemptResult }) {
  const { conversation, replay } = attempt;
  if (!conversation && !replay) return null;
  return (
    <section aria-label="About this attempt" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      {replay && <p className="verbatim text-sm">{replay.sentence}</p>}
      {conversation && <JudgementList title="Judge, on the whole conversation" judgements={conversation.judgements} />}
    </section>
  );
}
