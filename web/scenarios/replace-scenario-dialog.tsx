import { ModalDialog } from "../parts/modal-dialog.tsx";

interface ReplaceScenarioDialogProps {
  readonly id: string;
  readonly onReplace: () => void;
  readonly onClose: () => void;
}

/** Asks before a scenario is saved under the id of another one. */
export function ReplaceScenarioDialog({ id, onReplace, onClose }: ReplaceScenarioDialogProps) {
  return (
    <ModalDialog title="Replace the scenario of this id?" onClose={onClose}>
      <p className="verbatim text-ink">
        “<bdi>{id}</bdi>” is in the library already. This would be its newest version; the ones before stay among its
        versions.
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
