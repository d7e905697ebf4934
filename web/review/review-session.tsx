import { compact } from "../../src/base/compact.ts";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { ReviewItem, ReviewQuery, ReviewQueue } from "../../src/contract/schemas/judging/human-verdict.ts";
import { hashText } from "../../src/base/hash.ts";
import { sendVerdicts } from "../api/review.ts";
import { useKeys } from "../parts/browser/events.ts";
import { mainArea } from "../parts/browser/focus.ts";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { Skeleton } from "../parts/screen/screen.tsx";
import { formatCount, formatInteger } from "../parts/text/format.ts";
import { TextPane, VerbatimText } from "../parts/text/verbatim-text.tsx";

interface ReviewSessionProps {
  readonly runId: string;
  readonly queue: ReviewQueue;
  readonly against: string;
  readonly order: ReviewQuery["order"];
  readonly skipped: readonly string[];
  /** True while `queue` is that of before the last change. */
  readonly isLoading: boolean;
  readonly onSkip: (key: string) => void;
  readonly onUnskip: () => void;
  /** Called when a verdict is stored: the next reply can be asked for. */
  readonly onStored: () => Promise<void>;
}

/** A verdict of this session, which can be changed. */
interface Given {
  readonly item: ReviewItem;
  readonly choice: string;
  readonly comment: string;
}

export const itemKey = ({ scenario_id, attempt, turn_index }: ReviewItem): string =>
  JSON.stringify([scenario_id, attempt, turn_index]);

/** Hands out one reply after the other. Every step has a key: digits judge, c comments, s skips, k goes back. */
export function ReviewSession(props: ReviewSessionProps) {
  const { runId, queue, against, order, skipped, isLoading, onSkip, onUnskip, onStored } = props;
  const { question, rater } = queue;
  const [given, setGiven] = useState<readonly Given[]>([]);
  /** How many verdicts back; 0 is the reply from the queue. */
  const [back, setBack] = useState(0);
  const earlier = back > 0 ? given[given.length - back] : undefined;
  const item = earlier?.item ?? queue.items.find((next) => !skipped.includes(itemKey(next)));
  const key = item && itemKey(item);
  const [draft, setDraft] = useState<{ readonly key: string; readonly text: string } | null>(null);
  const comment = draft?.key === key ? (draft?.text ?? "") : (earlier?.comment ?? "");
  const field = useRef<HTMLTextAreaElement>(null);
  const store = useMutation({
    mutationFn: async (choice: string) => {
      if (!item) return;
      const { scenario_id, attempt, turn_index } = item;
      const place = compact({
        scenario_id,
        attempt,
        turn_index,
        question: question.name,
        against: against !== "" ? against : undefined,
      });
      const verdict = compact({ ...place, choice, comment: comment.trim() !== "" ? comment : undefined });
      await sendVerdicts(runId, { rater, sampling: order, verdicts: [verdict] });
      setGiven([...given.filter((other) => itemKey(other.item) !== key), { item, choice, comment }]);
      setBack(0);
      await onStored();
    },
  });
  const decide = (choice: string): void => {
    if (item && !store.isPending) store.mutate(choice);
  };
  // A correction has to allow for replies that were drawn and not judged.
  const storeSkip = useMutation({
    mutationFn: async ({ scenario_id, attempt, turn_index }: ReviewItem) => {
      const place = compact({
        scenario_id,
        attempt,
        turn_index,
        question: question.name,
        against: against !== "" ? against : undefined,
      });
      await sendVerdicts(runId, { rater, sampling: order, verdicts: [{ ...place, skipped: true }] });
    },
  });
  const skip = (): void => {
    if (!item || key === undefined || earlier) return;
    storeSkip.mutate(item);
    onSkip(key);
  };
  const move = (step: 1 | -1): void => setBack(Math.min(given.length, Math.max(0, back - step)));
  useKeys({ c: () => field.current?.focus(), s: skip, j: () => move(1), k: () => move(-1) });

  if (!item && isLoading) return <Skeleton rows={6} label="Loading replies" />;
  if (!item) {
    return (
      <div className="panel flex flex-wrap items-center gap-x-4 gap-y-2 p-4">
        <p role="status">
          {skipped.length > 0
            ? `You skipped ${formatCount(skipped.length, "reply", "replies")}. Show them again to go on.`
            : "Nothing is left to judge here: you and enough others judged every reply. Choose another order or question, or ask for more people per reply."}
        </p>
        {skipped.length > 0 && (
          <button
            type="button"
            className="button"
            onClick={() => {
              onUnskip();
              mainArea()?.focus({ preventScroll: true });
            }}
          >
            Show skipped replies
          </button>
        )}
      </div>
    );
  }
  return (
    <>
      <details className="panel p-4 text-sm" open={question.name !== "review" && question.scope !== "pair"}>
        <summary className="font-semibold">Question</summary>
        <div className="mt-2">
          <VerbatimText text={item.question?.text ?? question.text} />
        </div>
      </details>
      <section aria-label="Reply to judge" className="panel grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
        <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h2 className="verbatim min-w-0 text-sm font-semibold">{item.scenario_id}</h2>
          <p className="text-sm text-soft tabular-nums">
            attempt {formatInteger(item.attempt)}, turn {formatInteger(item.turn_index + 1)}
          </p>
          <span className="flex gap-2 sm:ml-auto">
            <button type="button" className="button" disabled={back >= given.length} onClick={() => move(-1)}>
              <KeyHint name="k" /> Back
            </button>
            {earlier ? (
              <button type="button" className="button" onClick={() => move(1)}>
                <KeyHint name="j" /> Next
              </button>
            ) : (
              <button type="button" className="button" onClick={skip}>
                <KeyHint name="s" /> Skip
              </button>
            )}
          </span>
        </header>
        {question.scope === "pair" ? <PairCard item={item} /> : <ReplyCard item={item} />}
        <ChoiceButtons
          choices={shownChoices(queue, item)}
          chosen={earlier?.choice}
          isPending={store.isPending}
          onChoose={decide}
        />
        <label className="grid gap-1 text-sm">
          <span>
            Comment <KeyHint name="c" /> <span className="text-soft">(optional, stored with your verdict)</span>
          </span>
          <textarea
            ref={field}
            className="field field-sizing-content min-h-16 w-full"
            maxLength={10_000}
            value={comment}
            onChange={({ target }) => setDraft({ key: itemKey(item), text: target.value })}
            onKeyDown={({ key: pressed, currentTarget }) => pressed === "Escape" && currentTarget.blur()}
          />
        </label>
        {store.error && <FailedNotice error={store.error} />}
        {storeSkip.error && <FailedNotice error={storeSkip.error} />}
      </section>
    </>
  );
}

/** The key that does the same. It is no part of a control's name. */
function KeyHint({ name }: { readonly name: string }) {
  return (
    <kbd aria-hidden className="mono rounded border border-line bg-sunken px-1.5">
      {name}
    </kbd>
  );
}

interface ShownChoice {
  readonly choice: string;
  readonly label: string;
}

function shownChoices({ question }: ReviewQueue, item: ReviewItem): readonly ShownChoice[] {
  const { choices } = item.question ?? question;
  if (question.scope !== "pair") return Object.keys(choices).map((choice) => ({ choice, label: choice }));
  const sides = pairSides(item).map(({ letter, run }) => ({ choice: run, label: `${letter} is better` }));
  return [...sides, { choice: "tie", label: "Equally good" }];
}

interface ShownSide {
  readonly letter: "A" | "B";
  /** The run of the reply, which is also the choice that calls it better. */
  readonly run: "candidate" | "baseline";
  readonly reply: string;
  readonly before: ReviewItem["conversation_before"];
}

/** The two replies of a pair as they are shown, in an order that does not depend on their runs. */
export function pairSides(item: ReviewItem): readonly ShownSide[] {
  const [first, second] = hashText(`swap ${itemKey(item)}`) % 2 === 1 ? (["B", "A"] as const) : (["A", "B"] as const);
  const sides: ShownSide[] = [
    { letter: first, run: "candidate", reply: item.reply, before: item.conversation_before },
    {
      letter: second,
      run: "baseline",
      reply: item.other_reply ?? "",
      before: item.conversation_before_other ?? [],
    },
  ];
  return sides.toSorted((left, right) => left.letter.localeCompare(right.letter));
}

function History({ turns, title }: { readonly turns: ReviewItem["conversation_before"]; readonly title: string }) {
  if (turns.length === 0) return null;
  return (
    <details className="grid gap-2 text-sm" open>
      <summary className="text-xs font-semibold text-soft">{title}</summary>
      {turns.map((turn, index) => (
        <div key={index} className="mt-2 grid gap-1 border-l-2 border-line pl-3">
          <VerbatimText text={turn.user_message} />
          <div className="text-soft">
            <VerbatimText text={turn.reply} />
          </div>
        </div>
      ))}
    </details>
  );
}

function UserMessage({ text }: { readonly text: string }) {
  return (
    <div className="grid gap-1 rounded-md bg-accent-ground p-3">
      <h3 className="text-xs font-semibold text-soft">User</h3>
      <VerbatimText text={text} />
    </div>
  );
}

/** A reply as the judge sees it. Verdicts and scores are hidden, because they would bias the person. */
function ReplyCard({ item }: { readonly item: ReviewItem }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <History turns={item.conversation_before} title="Conversation so far" />
      <UserMessage text={item.user_message} />
      <div className={`grid grid-cols-[minmax(0,1fr)] gap-3 ${item.reference_reply === "" ? "" : "lg:grid-cols-2"}`}>
        {item.reference_reply !== "" && (
          <TextPane title="Reference">
            <VerbatimText text={item.reference_reply} />
          </TextPane>
        )}
        <TextPane title="Reply">
          <VerbatimText text={item.reply} />
        </TextPane>
      </div>
    </div>
  );
}

function PairCard({ item }: { readonly item: ReviewItem }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <UserMessage text={item.user_message} />
      {item.reference_reply !== "" && (
        <TextPane title="Reference">
          <VerbatimText text={item.reference_reply} />
        </TextPane>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 lg:grid-cols-2">
        {pairSides(item).map(({ letter, reply, before }) => (
          <TextPane key={letter} title={`Reply ${letter}`}>
            <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
              <History turns={before} title="Conversation before" />
              <VerbatimText text={reply} />
            </div>
          </TextPane>
        ))}
      </div>
    </div>
  );
}

interface ChoiceButtonsProps {
  readonly choices: readonly ShownChoice[];
  readonly chosen: string | undefined;
  readonly isPending: boolean;
  readonly onChoose: (choice: string) => void;
}

/** One button per choice, also reachable by its digit. */
function ChoiceButtons({ choices, chosen, isPending, onChoose }: ChoiceButtonsProps) {
  const keys = choices.slice(0, 9).map(({ choice }, index) => [String(index + 1), () => onChoose(choice)] as const);
  useKeys(Object.fromEntries(keys));
  return (
    <div role="group" aria-label="Your verdict" className="flex flex-wrap gap-2">
      {choices.map(({ choice, label }, index) => (
        <button
          // The sides of a pair change places from one pair to the next; the focus stays on the same button.
          key={label}
          type="button"
          aria-pressed={choice === chosen}
          aria-disabled={isPending}
          className="button verbatim aria-pressed:border-accent aria-pressed:bg-accent-ground aria-pressed:font-semibold"
          onClick={() => onChoose(choice)}
        >
          {index < 9 && <KeyHint name={String(index + 1)} />} {label}
        </button>
      ))}
    </div>
  );
}
