import { Plus, Save } from "lucide-react";
import { useRef } from "react";
import type { Kept } from "../library-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { FieldProblemList } from "../parts/field-problem-list.tsx";
import { problemsAt, type FieldProblem } from "../parts/field-problems.ts";
import { TextArea } from "../parts/text-area.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useFieldProblems } from "../parts/use-field-problems.ts";
import { JsonView } from "./json-view.tsx";
import { ReplaceScenarioDialog } from "./replace-scenario-dialog.tsx";
import { RestoredNotice } from "./restored-notice.tsx";
import { SavedElsewhereDialog } from "./saved-elsewhere-dialog.tsx";
import { emptyTurn, nextTurnId, type ScenarioDraft, type TurnDraft } from "./scenario-draft.ts";
import { TurnFields } from "./turn-fields.tsx";
import { useKeptDraft } from "./use-kept-draft.ts";
import { useSaveScenario } from "./use-save-scenario.ts";

interface ScenarioEditorProps {
  /** Where it is written: what is not saved is kept under this name. */
  readonly place: string;
  readonly first: ScenarioDraft;
  /** The id under which it is stored already. */
  readonly storedId: string | null;
  /** The newest version as it was opened; null where there is none, or an older one is shown. */
  readonly version: string | null;
  readonly onSaved: (kept: Kept | undefined) => void;
}

/** A scenario as a conversation of cards with its JSON beside it. What is wrong is said by the service, at its place. */
export function ScenarioEditor({ place, first, storedId, version, onSaved }: ScenarioEditorProps) {
  const kept = useKeptDraft({ place, first, version });
  const { draft, setDraft, origin } = kept;
  const idField = useRef<HTMLInputElement>(null);
  const save = useSaveScenario({
    draft,
    storedId,
    origin,
    onKept: (saved) => saved && kept.goOnFrom(saved.version),
    onSaved: (saved, written) => {
      if (draft === written) kept.forget();
      onSaved(saved);
    },
    // Where the dialog leads back to.
    onTaken: () => idField.current?.focus(),
  });
  const { problems, open, forget } = useFieldProblems(save.error);
  const set = (changes: Partial<ScenarioDraft>): void => setDraft((current) => ({ ...current, ...changes }));
  const change = (changes: Partial<ScenarioDraft>): void => {
    set(changes);
    for (const name of Object.keys(changes)) forget(`/${name}`);
  };
  const { interactions: turns } = draft;
  const changeTurn = (index: number, changes: Partial<TurnDraft>): void => {
    set({ interactions: turns.map((turn, other) => (other === index ? { ...turn, ...changes } : turn)) });
    for (const name of Object.keys(changes)) {
      forget(`/interactions/${index}/${name === "labels" ? "reference_metadata" : name}`);
    }
  };
  /** Text that was typed as JSON may have changed anything. */
  const replace = (typed: ScenarioDraft): void => change(typed);
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
        if (!save.isPending) save.mutate({ anyway: false });
      }}
    >
      <div data-rows="" className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {kept.restored && <RestoredNotice onStartOver={kept.startOver} />}
        <div className="panel grid gap-3 p-4 sm:grid-cols-2">
          <TextField
            ref={idField}
            label="Scenario id"
            value={draft.id}
            hint={storedId !== null && draft.id !== storedId ? "Another id makes a copy; the old one stays." : ""}
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
              placeholder="Empty: the run's own."
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
        {open && <FailedNotice error={save.error} marked />}
        <FieldProblemList problems={problems.filter(({ pointer }) => !besideField.test(pointer))} />
        {/* Not disabled, which would take the focus away that a dialog gives back. */}
        <button className="button button-primary justify-self-start" aria-disabled={save.isPending}>
          <Save aria-hidden size={15} /> {save.isPending ? "Saving …" : "Save scenario"}
        </button>
      </div>
      <JsonView draft={draft} onChange={replace} />
      {save.data?.kind === "taken" && (
        <ReplaceScenarioDialog id={draft.id} onReplace={() => save.mutate({ anyway: true })} onClose={save.reset} />
      )}
      {save.data?.kind === "elsewhere" && (
        <SavedElsewhereDialog
          draft={draft}
          theirs={save.data.theirs}
          onSave={() => save.mutate({ anyway: true })}
          onClose={save.reset}
        />
      )}
    </form>
  );
}

/** What a field of the form says itself. */
const besideField =
  /^\/(id|tags|description|system_prompt|interactions\/\d+\/(id|user_message|reference_reply|references\/\d+|interaction_type|checks\/\d+\/text(\/\d+)?))$/;

/** A comma that was just typed stays, so that the next tag can follow it. */
const splitTags = (text: string): string[] => {
  const tags = text.split(",").map((tag) => tag.trimStart());
  return text === "" ? [] : tags;
};

/** The problems under a pointer, seen from there. */
const below = (problems: readonly FieldProblem[], pointer: string): FieldProblem[] =>
  problemsAt(problems, pointer).map((problem) => ({ ...problem, pointer: problem.pointer.slice(pointer.length) }));
