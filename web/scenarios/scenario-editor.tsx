import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus, Save } from "lucide-react";
import { useRef, useState } from "react";
import { isInLibrary, keepScenario, type Kept } from "../library-api.ts";
import { FailedNotice } from "../parts/failed-notice.tsx";
import { FieldProblemList } from "../parts/field-problem-list.tsx";
import { problemsAt, type FieldProblem } from "../parts/field-problems.ts";
import { TextArea } from "../parts/text-area.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useFieldProblems } from "../parts/use-field-problems.ts";
import { JsonView } from "./json-view.tsx";
import { ReplaceScenarioDialog } from "./replace-scenario-dialog.tsx";
import { emptyTurn, fromDraft, nextTurnId, type ScenarioDraft, type TurnDraft } from "./scenario-draft.ts";
import { TurnFields } from "./turn-fields.tsx";

interface ScenarioEditorProps {
  readonly first: ScenarioDraft;
  /** The id under which it is stored already. */
  readonly storedId: string | null;
  readonly onSaved: (kept: Kept | undefined) => void;
}

/** A scenario as a conversation of cards with its JSON beside it. What is wrong is said by the service, at its place. */
export function ScenarioEditor({ first, storedId, onSaved }: ScenarioEditorProps) {
  const [draft, setDraft] = useState(first);
  const [replacing, setReplacing] = useState(false);
  const idField = useRef<HTMLInputElement>(null);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: async ({ replace }: { replace: boolean }) => {
      if (!replace && draft.id !== storedId && (await isInLibrary(draft.id))) return "taken";
      return keepScenario(fromDraft(draft));
    },
    onSuccess: async (kept) => {
      if (kept === "taken") {
        // Where the dialog leads back to.
        idField.current?.focus();
        return setReplacing(true);
      }
      await client.invalidateQueries({ queryKey: ["library"] });
      onSaved(kept);
    },
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
        save.mutate({ replace: false });
      }}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
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
          className="button justify-self-start"
          onClick={() => change({ interactions: [...turns, emptyTurn(nextTurnId(turns))] })}
        >
          <Plus aria-hidden size={14} /> Turn
        </button>
        {open && <FailedNotice error={save.error} marked />}
        <FieldProblemList problems={problems.filter(({ pointer }) => !besideField.test(pointer))} />
        <button className="button button-primary justify-self-start" disabled={save.isPending}>
          <Save aria-hidden size={15} /> {save.isPending ? "Saving …" : "Save scenario"}
        </button>
      </div>
      <JsonView draft={draft} onChange={replace} />
      {replacing && (
        <ReplaceScenarioDialog
          id={draft.id}
          onReplace={() => save.mutate({ replace: true })}
          onClose={() => setReplacing(false)}
        />
      )}
    </form>
  );
}

/** What a field of the form says itself. */
const besideField =
  /^\/(id|tags|description|system_prompt|interactions\/\d+\/(id|user_message|reference_reply|references\/\d+|interaction_type))$/;

/** A comma that was just typed stays, so that the next tag can follow it. */
const splitTags = (text: string): string[] => {
  const tags = text.split(",").map((tag) => tag.trimStart());
  return text === "" ? [] : tags;
};

/** The problems under a pointer, seen from there. */
const below = (problems: readonly FieldProblem[], pointer: string): FieldProblem[] =>
  problemsAt(problems, pointer).map((problem) => ({ ...problem, pointer: problem.pointer.slice(pointer.length) }));
