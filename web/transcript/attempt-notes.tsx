import type { AttemptResult } from "../../src/contract/schemas/evaluation-response.ts";
import { scoreLabel } from "../parts/format.ts";
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
      {conversation && <UnaskedList conversation={conversation} />}
    </section>
  );
}

/** Why the judge was not asked at all: there was no reply, or its answer could not be worked on. */
function UnaskedList({ conversation }: { conversation: NonNullable<AttemptResult["conversation"]> }) {
  if (Object.keys(conversation.judgements).length > 0) return null;
  return Object.entries(conversation.score_reasons).map(([name, reason]) => (
    <p key={name} className="verbatim text-sm">
      <span className="font-medium">{scoreLabel(name)}</span> {reason}
    </p>
  ));
}
