import type { LibraryScenario } from "../../src/contract/schemas/library.ts";
import { ModalDialog } from "../parts/modal-dialog.tsx";
import { scenarioPath } from "../parts/paths.ts";
import { toScenario, type ScenarioDraft } from "./scenario-draft.ts";
import { VersionDiff } from "./version-diff.tsx";

interface SavedElsewhereDialogProps {
  readonly draft: ScenarioDraft;
  /** What is stored by now; null when it was removed. */
  readonly theirs: LibraryScenario | null;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

/** Asks before a scenario is saved over what somebody else, or another tab, has made of it meanwhile. */
export function SavedElsewhereDialog({ draft, theirs, onSave, onClose }: SavedElsewhereDialogProps) {
  return (
    <ModalDialog title={theirs ? "Saved elsewhere meanwhile" : "Removed elsewhere meanwhile"} onClose={onClose}>
      <p className="verbatim text-ink">
        “<bdi>{draft.id}</bdi>”{" "}
        {theirs
          ? "was saved elsewhere after you opened it. Yours would be its newest version; the other one stays among its versions."
          : "is not in the library any more. Saving yours brings it back."}
      </p>
      {theirs && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <p className="text-sm font-medium">From yours to the other one:</p>
          <div
            className="max-h-64 overflow-y-auto rounded-md border border-line p-3"
            tabIndex={0}
            role="region"
            aria-label="From yours to the other one"
          >
            <VersionDiff before={toScenario(draft)} after={theirs.scenario} />
          </div>
        </div>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        {theirs && (
          <a href={scenarioPath(draft.id)} target="_blank" rel="noopener" className="button">
            Open the other one
          </a>
        )}
        <button type="button" className="button" onClick={onClose}>
          Keep editing
        </button>
        <button
          type="button"
          className="button button-primary"
          onClick={() => {
            onClose();
            onSave();
          }}
        >
          Save mine
        </button>
      </div>
    </ModalDialog>
  );
}
