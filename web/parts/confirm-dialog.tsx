import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FailedNotice } from "./failed-notice.tsx";
import { ModalDialog } from "./modal-dialog.tsx";

interface ConfirmDialogProps {
  readonly title: string;
  /** What the button says, and what it says while it works. */
  readonly words: readonly [idle: string, busy: string];
  readonly onConfirm: () => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
  /** What will be gone. */
  readonly children: ReactNode;
}

/** Asks before something is gone for good, and tells when it could not be done. */
export function ConfirmDialog({
  title,
  words: [idle, busy],
  onConfirm,
  onDone,
  onClose,
  children,
}: ConfirmDialogProps) {
  const work = useMutation({ mutationFn: onConfirm, onSuccess: onDone });
  return (
    <ModalDialog title={title} onClose={onClose}>
      <p className="verbatim text-ink">{children}</p>
      {work.error && <FailedNotice error={work.error} />}
      <div className="flex justify-end gap-2">
        <button type="button" className="button" onClick={onClose}>
          Keep
        </button>
        {/* Not disabled, which would take the focus away. */}
        <button
          type="button"
          className="button button-danger"
          aria-disabled={work.isPending}
          onClick={() => work.isPending || work.mutate()}
        >
          {work.isPending ? busy : idle}
        </button>
      </div>
    </ModalDialog>
  );
}
