import { History, Plus, Save } from "lucide-react";
import { useId, useRef, useState } from "react";
import type { SavedScenario } from "../api/library.ts";
import { CopyButton } from "../parts/text/copy-button.tsx";
import { FailedNotice } from "../parts/screen/notices.tsx";
import { FieldProblemList } from "../parts/screen/notices.tsx";
import { problemsAt, type FieldProblem } from "../parts/forms/field-problems.ts";
import { TextArea } from "../parts/forms/fields.tsx";
import { TextField } from "../parts/forms/fields.tsx";
import { useFieldProblems } from "../parts/forms/field-problems.ts";
import { usePersistedDraft, useSaveScenario } from "./draft-storage.ts";
import { emptyTurn, fromDraft, nextTurnId, toDraft, type EditedScenario, type EditedTurn } from "./edited-scenario.ts";
import { ReplaceScenarioDialog, SavedElsewhereDialog } from "./scenario-dialogs.tsx";
import { TurnFields } from "./turn-fields.tsx";
import { UserFields } from "./user-fields.tsx";

interface ScenarioEditorProps {
  /** Unsaved edits are kept in this tab under this key. */
  readonly draftKey: string;
  readonly initial: EditedScenario;
  /** The id of the stored scenario; null for a new one. */
  readonly storedId: string | null;
  /** The newest version when the editor opened; null for a new scenario or an older version. */
  readonly version: string | null;
  readonly onSaved: (kept: SavedScenario | undefined) => void;
}

/** Edits a scenario as cards with its JSON beside them. The service validates it; problems are shown at their fields. */
export function ScenarioEditor({ draftKey, initial, storedId, version, onSaved }: ScenarioEditorProps) {
  const persisted = usePersistedDraft({ draftKey, initial, version });
  const { draft, setDraft, origin } = persisted;
  const idField = useRef<HTMLInputElement>(null);
  const save = useSaveScenario({
    draft,
    storedId,
    origin,
    onStored: (kept) => kept && persisted.setOrigin(kept.version),
    onSaved: (kept, written) => {
      if (draft === written) persisted.discard();
      onSaved(kept);
    },
    // The dialog returns the focus to this field.
    onIdTaken: () => idField.current?.focus(),
  });
  const { problems, open, forget } = useFieldProblems(save.error);
  const set = (changes: Partial<EditedScenario>): void => setDraft((current) => ({ ...current, ...changes }));
  const change = (changes: Partial<EditedScenario>): void => {
    set(changes);
    for (const name of Object.keys(changes)) forget(`/${name}`);
  };
  const { interactions: turns } = draft;
  const { user, ...otherFields } = draft.others;
  const changeUser = (edited: Readonly<Record<string, unknown>> | undefined): void => {
    set({ others: edited ? { ...otherFields, user: edited } : otherFields });
    forget("/user");
  };
  const changeTurn = (index: number, changes: Partial<EditedTurn>): void => {
    set({ interactions: turns.map((turn, other) => (other === index ? { ...turn, ...changes } : turn)) });
    for (const name of Object.keys(changes)) {
      forget(`/interactions/${index}/${name === "labels" ? "reference_metadata" : name}`);
    }
  };
  const move = (index: number, step: 1 | -1): void => {
    const turn = turns[index];
    if (turn) change({ interactions: turns.toSpliced(index, 1).toSpliced(index + step, 0, turn) });
  };

  return (
    <form
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate({ overwrite: false });
      }}
    >
      <div data-rows="" className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {persisted.restored && <RestoredNotice onStartOver={persisted.startOver} />}
        <div className="panel grid gap-3 p-4 sm:grid-cols-2">
          <TextField
            ref={idField}
            label="Scenario id"
            value={draft.id}
            hint={storedId !== null && draft.id !== storedId ? "A new id saves a copy; the original stays." : ""}
            problems={problemsAt(problems, "/id")}
            onText={(id) => change({ id })}
          />
          <TextField
            label="Tags (comma separated)"
            value={draft.tags.join(", ")}
            problems={problemsAt(problems, "/tags")}
            onText={(text) => change({ tags: splitTags(text) })}
          />
          <div className="sm:col-span-2">
            <TextField
              label="Description"
              value={draft.description}
              problems={problemsAt(problems, "/description")}
              onText={(description) => change({ description })}
            />
          </div>
          <div className="sm:col-span-2">
            <TextArea
              label="System prompt (optional)"
              placeholder="Leave blank to use the run's system prompt"
              value={draft.system_prompt}
              problems={problemsAt(problems, "/system_prompt")}
              onText={(system_prompt) => change({ system_prompt })}
            />
          </div>
        </div>
        {turns.map((turn, index) => (
          <TurnFields
            key={index}
            turn={turn}
            index={index}
            count={turns.length}
            removable={turns.length > 1 || user !== undefined}
            problems={below(problems, `/interactions/${index}`)}
            onChange={(changes) => changeTurn(index, changes)}
            onMove={(step) => move(index, step)}
            onRemove={() => change({ interactions: turns.toSpliced(index, 1) })}
          />
        ))}
        <button
          type="button"
          data-add=""
          className="button justify-self-start"
          onClick={() => change({ interactions: [...turns, emptyTurn(nextTurnId(turns))] })}
        >
          <Plus aria-hidden size={14} /> Turn
        </button>
        <UserFields user={user} problems={problems} onChange={changeUser} />
        {open && <FailedNotice error={save.error} marked />}
        <FieldProblemList problems={problems.filter(({ pointer }) => !besideField.test(pointer))} />
        {/* A disabled button would lose the focus that a dialog returns. */}
        <button className="button button-primary justify-self-start" aria-disabled={save.isPending}>
          <Save aria-hidden size={15} /> {save.isPending ? "Saving …" : "Save scenario"}
        </button>
      </div>
      <JsonView draft={draft} onChange={change} />
      {save.data?.kind === "id-taken" && (
        <ReplaceScenarioDialog id={draft.id} onReplace={() => save.mutate({ overwrite: true })} onClose={save.reset} />
      )}
      {save.data?.kind === "changed" && (
        <SavedElsewhereDialog
          draft={draft}
          theirs={save.data.theirs}
          onSave={() => save.mutate({ overwrite: true })}
          onClose={save.reset}
        />
      )}
    </form>
  );
}

/** Pointers whose problems are shown at a form field. */
const besideField =
  /^\/(id|tags|description|system_prompt|user\/(goal|persona|knows|opening|max_turns)|interactions\/\d+\/(id|user_message|reference_reply|references\/\d+|interaction_type|checks\/\d+\/text(\/\d+)?))$/;

/** Keeps a trailing comma, so that the user can type the next tag. */
const splitTags = (text: string): string[] => {
  const tags = text.split(",").map((tag) => tag.trimStart());
  return text === "" ? [] : tags;
};

/** The problems below a pointer, with pointers relative to it. */
const below = (problems: readonly FieldProblem[], pointer: string): FieldProblem[] =>
  problemsAt(problems, pointer).map((problem) => ({ ...problem, pointer: problem.pointer.slice(pointer.length) }));

function RestoredNotice({ onStartOver }: { onStartOver: () => void }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg bg-accent-ground p-3 text-sm text-accent"
    >
      <History aria-hidden size={16} className="shrink-0" />
      <p className="min-w-0 flex-1 basis-60">Restored your unsaved draft.</p>
      <button type="button" className="button" onClick={onStartOver}>
        Start over
      </button>
    </div>
  );
}

interface JsonViewProps {
  readonly draft: EditedScenario;
  readonly onChange: (draft: EditedScenario) => void;
}

/** The scenario as editable JSON. Text that is not a scenario yet does not change the draft. */
function JsonView({ draft, onChange }: JsonViewProps) {
  const id = useId();
  const written = toText(draft);
  /** The text last typed here, and the JSON of the draft at that time. */
  const [typed, setTyped] = useState({ text: written, basis: written });
  const read = readDraft(typed.text);
  // The typed text stays as formatted by the user until the draft changes elsewhere.
  const shown = (read ? toText(read) : typed.basis) === written ? typed.text : written;
  const problem = findProblem(shown);

  const onText = (text: string): void => {
    setTyped({ text, basis: written });
    const changed = readDraft(text);
    if (changed) onChange(changed);
  };

  return (
    <section aria-label="JSON" className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4 lg:sticky lg:top-6">
      <div className="flex items-center justify-between gap-1">
        <label htmlFor={id} className="text-sm font-semibold">
          JSON
        </label>
        <CopyButton text={written} />
      </div>
      <textarea
        id={id}
        className="field mono min-h-[50vh] resize-y"
        spellCheck={false}
        value={shown}
        aria-invalid={problem !== null}
        aria-describedby={problem ? `${id}-note` : undefined}
        onChange={(event) => onText(event.target.value)}
      />
      {problem && (
        <p id={`${id}-note`} className="text-xs font-medium text-bad">
          ✕ {problem}
        </p>
      )}
    </section>
  );
}

const toText = (draft: EditedScenario): string => JSON.stringify(fromDraft(draft), null, 2);

function readDraft(text: string): EditedScenario | null {
  try {
    return toDraft(JSON.parse(text));
  } catch {
    return null;
  }
}

function findProblem(text: string): string | null {
  try {
    return toDraft(JSON.parse(text))
      ? null
      : 'Not a scenario. Expected an object with "id" and a list of "interactions".';
  } catch (error) {
    return `Not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
