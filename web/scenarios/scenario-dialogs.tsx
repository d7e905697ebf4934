import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { LibraryScenario } from "../../src/contract/schemas/library.ts";
import { removeScenario } from "../api/library.ts";
import { ConfirmDialog, ModalDialog } from "../parts/screen/dialogs.tsx";
import { scenarioPath } from "../parts/address/paths.ts";
import { toStoredScenario, type EditedScenario } from "./edited-scenario.ts";
import { VersionDiff } from "./versions.tsx";

interface ReplaceScenarioDialogProps {
  readonly id: string;
  readonly onReplace: () => void;
  readonly onClose: () => void;
}

/** Confirms that a new scenario replaces the one with the same id. */
export function ReplaceScenarioDialog({ id, onReplace, onClose }: ReplaceScenarioDialogProps) {
  return (
    <ModalDialog title="Replace the existing scenario?" onClose={onClose}>
      <p className="verbatim text-ink">
        “<bdi>{id}</bdi>” is already in the library. Yours becomes its newest version; earlier versions are kept.
      </p>
      <div className="flex justify-end gap-2">
        <button type="button" className="button" onClick={onClose}>
          Choose another id
        </button>
        <button
          type="button"
          className="button button-danger"
          onClick={() => {
            onClose();
            onReplace();
          }}
        >
          Replace
        </button>
      </div>
    </ModalDialog>
  );
}

interface SavedElsewhereDialogProps {
  readonly draft: EditedScenario;
  /** The stored scenario; null if it was removed. */
  readonly theirs: LibraryScenario | null;
  readonly onSave: () => void;
  readonly onClose: () => void;
}

/** Confirms saving over a change from another tab or user. */
export function SavedElsewhereDialog({ draft, theirs, onSave, onClose }: SavedElsewhereDialogProps) {
  return (
    <ModalDialog title={theirs ? "Saved elsewhere" : "Removed elsewhere"} onClose={onClose}>
      <p className="verbatim text-ink">
        “<bdi>{draft.id}</bdi>”{" "}
        {theirs
          ? "was saved elsewhere after you opened it. Yours becomes its newest version; the other version is kept."
          : "is no longer in the library. Saving yours adds it again."}
      </p>
      {theirs && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
          <p className="text-sm font-medium">Changes from yours to the saved version:</p>
          <div
            className="max-h-64 overflow-y-auto rounded-md border border-line p-3"
            tabIndex={0}
            role="region"
            aria-label="Changes from yours to the saved version"
          >
            <VersionDiff before={toStoredScenario(draft)} after={theirs.scenario} />
          </div>
        </div>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        {theirs && (
          <a href={scenarioPath(draft.id)} target="_blank" rel="noopener" className="button">
            Open the saved version
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

export function RemoveScenarioDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return (
    <ConfirmDialog
      title="Remove this scenario?"
      words={["Remove", "Removing …"]}
      onConfirm={() => removeScenario(id)}
      onDone={() => {
        navigate("/scenarios", { replace: true });
        void client.invalidateQueries({ queryKey: ["library"] });
      }}
      onClose={onClose}
    >
      “<bdi>{id}</bdi>” and all its versions will be deleted. Existing runs are not affected.
    </ConfirmDialog>
  );
}
