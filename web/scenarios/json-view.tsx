import { useId, useState } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { fromDraft, toDraft, type ScenarioDraft } from "./scenario-draft.ts";

interface JsonViewProps {
  readonly draft: ScenarioDraft;
  readonly onChange: (draft: ScenarioDraft) => void;
}

/** The scenario as JSON, beside the cards. Either may be edited; text that is no scenario yet changes nothing. */
export function JsonView({ draft, onChange }: JsonViewProps) {
  const id = useId();
  const written = toText(draft);
  /** What was typed here last, and what the cards said then. */
  const [typed, setTyped] = useState({ text: written, basis: written });
  const read = readDraft(typed.text);
  // Text of one's own making stays as it was typed; once the cards say something else, they are shown.
  const shown = (read ? toText(read) : typed.basis) === written ? typed.text : written;
  const problem = whatIsWrong(shown);

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

const toText = (draft: ScenarioDraft): string => JSON.stringify(fromDraft(draft), null, 2);

function readDraft(text: string): ScenarioDraft | null {
  try {
    return toDraft(JSON.parse(text));
  } catch {
    return null;
  }
}

function whatIsWrong(text: string): string | null {
  try {
    return toDraft(JSON.parse(text)) ? null : 'Not a scenario: an object with "id" and a list of "interactions".';
  } catch (error) {
    return `Not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
