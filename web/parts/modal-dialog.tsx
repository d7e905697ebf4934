import { X } from "lucide-react";
import { useEffect, useId, useRef, type ReactNode } from "react";

interface ModalDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The browser's own modal: it traps focus, closes on Escape and gives the focus back. */
export function ModalDialog({ title, onClose, children }: ModalDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();

  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

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
