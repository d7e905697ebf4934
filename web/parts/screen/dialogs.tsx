import { useMutation } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { FailedNotice } from "./notices.tsx";

interface ModalDialogProps {
  readonly title: string;
  /** For lists with long names. */
  readonly wide?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A native modal dialog, which traps the focus and closes on Escape. Returns the focus to the element that opened it. */
export function ModalDialog({ title, wide = false, onClose, children }: ModalDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [opener] = useState(findOpener);

  // A layout effect runs before the dialog leaves the document; afterwards the focus is lost.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      opener?.focus();
    };
  }, [opener]);

  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      className={`panel m-auto p-0 text-ink shadow-xl ${wide ? "w-[min(52rem,calc(100vw-2rem))]" : "w-[min(34rem,calc(100vw-2rem))]"}`}
    >
      <div className="grid gap-3 p-4">
        <header className="flex items-center justify-between">
          <h2 id={titleId} className="text-lg font-semibold">
            {title}
          </h2>
          <button type="button" className="button button-quiet" aria-label="Close" onClick={onClose}>
            <X aria-hidden size={16} />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** The focused element, or the trigger of the menu it is in: the menu closes when it opens a dialog. */
function findOpener(): HTMLElement | null {
  const focused = document.activeElement;
  const menu = focused?.closest("[role=menu]");
  const opener = menu ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "") : focused;
  return opener instanceof HTMLElement ? opener : null;
}

interface ConfirmDialogProps {
  readonly title: string;
  /** The label of the button, and its label while it works. */
  readonly words: readonly [idle: string, busy: string];
  readonly onConfirm: () => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
  /** The label of the button that changes nothing. */
  readonly keep?: string;
  /** Names what will be deleted or stopped. */
  readonly children: ReactNode;
}

/** Asks for confirmation before something is deleted or stopped. */
export function ConfirmDialog({
  title,
  words: [idle, busy],
  keep = "Keep",
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
          {keep}
        </button>
        {/* A disabled button would lose the focus. */}
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
