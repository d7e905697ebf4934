import { History, Plus, Save } from "lucide-react";
import { useRef } from "react";
import { toPointer } from "../../src/base/json.ts";
import type { SavedScenario } from "../api/library.ts";
import { FailedNotice, FieldProblemList } from "../parts/screen/notices.tsx";
import { type FieldProblem, problemsAt, useFieldProblems } from "../parts/forms/field-problems.ts";
import { TextArea, TextField } from "../parts/forms/fields.tsx";
import { knownTools } from "./call-fields.tsx";
import { ActingFields, actingField } from "./acting-fields.tsx";
import { usePersistedDraft, useSaveScenario } from "./draft-storage.ts";
import { emptyTurn, nextTurnId, type EditedScenario, type EditedTurn } from "./edited-scenario.ts";
import { findUnparsed } from "../parts/forms/json-field.tsx";
import { changedPointers } from "./json-edits.ts";
import { SourceView, type SourceViewHandle } from "./source-view.tsx";
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

/** Edits a scenario as cards with its text beside them. The service validates it; problems are shown at their fields. */
export function ScenarioEditor({ draftKey, initial, storedId, version, onSaved }: ScenarioEditorProps) {
  const persisted = usePersistedDraft({ draftKey, initial, version });
  const { draft, setDraft, origin } = persisted;
  const idField = useRef<HTMLInputElement>(null);
  const source = useRef<SourceViewHandle>(null);
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
    for (const [name, value] of Object.entries(changes)) {
      for (const pointer of changedPointers(draft[name as keyof EditedScenario], value, [name])) forget(pointer);
    }
  };
  const { interactions: turns } = draft;
  const tools = knownTools(draft.world);
  const { user, ...otherFields } = draft.others;
  const changeUser = (edited: Readonly<Record<string, unknown>> | undefined): void => {
    set({ others: edited ? { ...otherFields, user: edited } : otherFields });
    forget("/user");
  };
  const changeTurn = (index: number, changes: Partial<EditedTurn>): void => {
    set({ interactions: turns.map((turn, other) => (other === index ? { ...turn, ...changes } : turn)) });
    for (const [name, value] of Object.entries(changes)) {
      const path = ["interactions", index, name === "labels" ? "reference_metadata" : name];
      const before = turns[index]?.[name as keyof EditedTurn];
      for (const pointer of name === "labels" ? [toPointer(path)] : changedPointers(before, value, path))
        forget(pointer);
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
        const unparsed = findUnparsed(event.currentTarget);
        if (unparsed) return unparsed.focus();
        if (source.current?.showHiddenProblem()) return;
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
            tools={tools}
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
        <ActingFields draft={draft} tools={tools} problems={problems} onChange={change} />
        <UserFields user={user} problems={problems} onChange={changeUser} />
        {open && <FailedNotice error={save.error} marked />}
        <FieldProblemList
          problems={problems.filter(({ pointer }) => !besideField.test(pointer) && !actingField.test(pointer))}
        />
        {/* A disabled button would lose the focus that a dialog returns. */}
        <button className="button button-primary justify-self-start" aria-disabled={save.isPending}>
          <Save aria-hidden size={15} /> {save.isPending ? "Saving …" : "Save scenario"}
        </button>
      </div>
      <SourceView ref={source} draft={draft} onChange={change} />
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
  /^\/(id|tags|description|system_prompt|user\/(goal|persona|knows|opening|max_turns)|interactions\/\d+\/(id|user_message|reference_reply|references\/\d+|interaction_type|checks\/\d+(\/.*)?|reference_tool_calls(\/\d+(\/(name|arguments\/.*))?)?))$/;

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
