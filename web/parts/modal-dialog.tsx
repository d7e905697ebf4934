import { X } from "lucide-react";
import { useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";

interface ModalDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The browser's own modal: it traps focus and closes on Escape. The focus goes back to what opened it. */
export function ModalDialog({ title, onClose, children }: ModalDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const [opener] = useState(findOpener);

  // Before the dialog is taken out of the page: after that the browser has lost the focus with it.
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
      className="panel m-auto w-[min(34rem,calc(100vw-2rem))] p-0 text-ink shadow-xl"
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

/** What has the focus when a dialog is first drawn. A menu closes as it opens one, so its button stands for it. */
function findOpener(): HTMLElement | null {
  const focused = document.activeElement;
  const menu = focused?.closest("[role=menu]");
  const opener = menu ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "") : focused;
  return opener instanceof HTMLElement ? opener : null;
}
