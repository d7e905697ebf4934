import type { Imported } from "../api/library.ts";
import { SelectField, TextField } from "../parts/forms/fields.tsx";
import { formatCount, formatDate, formatInteger } from "../parts/text/format.ts";

type Conversation = NonNullable<Imported["conversations"]>[number];

/** Which conversations of a file with traces are imported, and how. */
interface TraceDraft {
  readonly since: string;
  readonly until: string;
  readonly model: string;
  readonly errors: "" | "only" | "none";
  readonly minTurns: string;
  readonly maxTurns: string;
  /** Ids of conversations that were unticked. */
  readonly without: readonly string[];
  readonly expectRecorded: boolean;
  readonly review: boolean;
}

export const emptyTraces: TraceDraft = {
  since: "",
  until: "",
  model: "",
  errors: "",
  minTurns: "",
  maxTurns: "",
  without: [],
  expectRecorded: false,
  review: false,
};

/** The service lists no more. */
const listedConversations = 1_000;

/** The conversations that pass the filter fields. */
function shownConversations(all: readonly Conversation[], draft: TraceDraft): readonly Conversation[] {
  const day = (text: string): number => (text === "" ? Number.NaN : Date.parse(text));
  const since = day(draft.since);
  const until = day(draft.until);
  return all.filter(({ started_at, models, errors, turns }) => {
    const start = started_at === null ? Number.NaN : Date.parse(started_at);
    return (
      (Number.isNaN(since) || start >= since) &&
      (Number.isNaN(until) || start < until) &&
      (draft.model === "" || models.some((name) => name.toLowerCase().includes(draft.model.toLowerCase()))) &&
      (draft.errors === "" || errors > 0 === (draft.errors === "only")) &&
      turns >= Number(draft.minTurns || 0) &&
      turns <= Number(draft.maxTurns || Infinity)
    );
  });
}

/** The ids to import: those that are shown and ticked. */
export const chosenConversations = (all: readonly Conversation[], draft: TraceDraft): readonly string[] =>
  shownConversations(all, draft)
    .map(({ id }) => id)
    .filter((id) => !draft.without.includes(id));

/** The fields of the request; none for a file without traces. */
export function traceRequest(all: readonly Conversation[] | undefined, draft: TraceDraft) {
  if (!all) return {};
  return {
    traces: { conversations: [...chosenConversations(all, draft)] },
    expect_recorded: draft.expectRecorded,
    review: draft.review,
  };
}

interface TraceChoiceProps {
  readonly all: readonly Conversation[];
  readonly draft: TraceDraft;
  readonly onChange: (changes: Partial<TraceDraft>) => void;
}

/** Filters and ticks the conversations of a file with traces. */
export function TraceChoice({ all, draft, onChange }: TraceChoiceProps) {
  const shown = shownConversations(all, draft);
  const tick = (id: string, isTaken: boolean): void =>
    onChange({ without: isTaken ? draft.without.filter((other) => other !== id) : [...draft.without, id] });
  return (
    <section aria-label="Conversations" className="panel grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <h2 className="font-semibold">Conversations of these traces</h2>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
        <TextField type="date" label="Since" value={draft.since} onText={(since) => onChange({ since })} />
        <TextField type="date" label="Before" value={draft.until} onText={(until) => onChange({ until })} />
        <TextField label="Model" placeholder="any" value={draft.model} onText={(model) => onChange({ model })} />
        <SelectField
          label="Errors"
          value={draft.errors}
          options={[
            { id: "", label: "any" },
            { id: "only", label: "with errors" },
            { id: "none", label: "without errors" },
          ]}
          onChoice={(errors) => onChange({ errors: errors as TraceDraft["errors"] })}
        />
        <TextField
          type="number"
          min={1}
          label="Turns from"
          value={draft.minTurns}
          onText={(minTurns) => onChange({ minTurns })}
        />
        <TextField
          type="number"
          min={1}
          label="Turns to"
          value={draft.maxTurns}
          onText={(maxTurns) => onChange({ maxTurns })}
        />
      </div>
      {all.length === listedConversations && (
        <p className="text-sm text-soft">
          Only the first {formatInteger(listedConversations)} conversations are listed here; the command line reads all.
        </p>
      )}
      {shown.length === 0 && <p className="text-sm text-soft">No conversation passes the filter.</p>}
      <ul
        className="grid max-h-96 grid-cols-[minmax(0,1fr)] gap-1 overflow-y-auto text-sm"
        tabIndex={0}
        aria-label="Found conversations"
      >
        {shown.map((conversation) => (
          <li key={conversation.id}>
            <label className="flex cursor-pointer items-start gap-2 rounded-md border border-line p-2">
              <input
                type="checkbox"
                className="mt-1"
                checked={!draft.without.includes(conversation.id)}
                onChange={({ target }) => tick(conversation.id, target.checked)}
              />
              <span className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)]">
                <span className="verbatim line-clamp-2">{conversation.first_message}</span>
                <span className="verbatim text-xs text-soft">{aboutConversation(conversation)}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={draft.expectRecorded}
            onChange={({ target }) => onChange({ expectRecorded: target.checked })}
          />
          Expect the recorded replies and tool calls
        </label>
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={draft.review}
            onChange={({ target }) => onChange({ review: target.checked })}
          />
          Send the recorded replies to review
        </label>
      </div>
    </section>
  );
}

function aboutConversation({ id, started_at, turns, tool_calls, errors, models }: Conversation): string {
  return [
    started_at === null ? "" : formatDate(started_at),
    formatCount(turns, "turn"),
    tool_calls > 0 ? formatCount(tool_calls, "tool call") : "",
    errors > 0 ? formatCount(errors, "error") : "",
    models.join(", "),
    id,
  ]
    .filter((part) => part !== "")
    .join(" · ");
}
