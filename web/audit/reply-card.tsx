import { VerbatimText } from "../parts/verbatim-text.tsx";
import { TextPane } from "../parts/text-pane.tsx";
import type { SampledReply } from "./reply-sample.ts";

/** A reply as the judge is shown it, without what the judge or a score said of it: that would lead the person. */
export function ReplyCard({ reply }: { reply: SampledReply }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      {reply.conversation_before.length > 0 && (
        <details className="grid gap-2 text-sm" open>
          <summary className="text-xs font-semibold text-soft">What was said before</summary>
          {reply.conversation_before.map((turn, index) => (
            <div key={index} className="mt-2 grid gap-1 border-l-2 border-line pl-3">
              <VerbatimText text={turn.user_message} />
              <div className="text-soft">
                <VerbatimText text={turn.reply} />
              </div>
            </div>
          ))}
        </details>
      )}
      <div className="grid gap-1 rounded-md bg-accent-ground p-3">
        <h3 className="text-xs font-semibold text-soft">User</h3>
        <VerbatimText text={reply.user_message} />
      </div>
      <div className={`grid grid-cols-[minmax(0,1fr)] gap-3 ${reply.reference_reply === "" ? "" : "lg:grid-cols-2"}`}>
        {reply.reference_reply !== "" && (
          <TextPane title="Reference">
            <VerbatimText text={reply.reference_reply} />
          </TextPane>
        )}
        <TextPane title="Reply">
          <VerbatimText text={reply.reply} />
        </TextPane>
      </div>
    </div>
  );
}
