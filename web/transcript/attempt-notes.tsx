import type { AttemptResult } from "../../src/contract/evaluation-response.ts";
import { JudgementList } from "./judgement-list.tsx";

/** What is said of an attempt as a whole: that it has no end, the judge's word on the conversation, and how its replay went. */
export function AttemptNotes({ attempt }: { attempt: AttemptResult }) {
  const { conversation, replay, interactions } = attempt;
  const cutShort = attempt.unfinished === true && interactions.length > 0;
  if (!conversation && !replay && !cutShort) return null;
  return (
    <section aria-label="About this attempt" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      {cutShort && <p className="text-sm">This attempt is not finished: not all of its turns have been run.</p>}
      {replay && <p className="verbatim text-sm">{replay.sentence}</p>}
      {conversation && <JudgementList title="Judge, on the whole conversation" judgements={conversation.judgements} />}
    </section>
  );
}
