import { useCallback, useEffect, useLayoutEffect, useRef } from "react";

/** A stable function that calls the handler of the latest render. */
export function useEvent<Arguments extends readonly unknown[]>(
  handler: (...values: Arguments) => void,
): (...values: Arguments) => void {
  const latest = useRef(handler);
  useLayoutEffect(() => {
    latest.current = handler;
  });
  return useCallback((...values: Arguments) => latest.current(...values), []);
}

/** Single-key commands, ignored while the user types, holds a modifier or has a dialog open. */
export function useKeys(handlers: Readonly<Record<string, () => void>>): void {
  const onKeyDown = useEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const handler = handlers[event.key];
    if (!handler) return;
    event.preventDefault();
    handler();
  });
  useEffect(() => {
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [onKeyDown]);
}

/** `j` and `k` move the focus along the elements marked `data-row`, starting at the first one in view. */
export function useRowKeys(): void {
  useKeys({ j: () => moveFocus(1), k: () => moveFocus(-1) });
}

function moveFocus(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const here = rows.findIndex((row) => row === document.activeElement);
  const next =
    here === -1 ? Math.max(0, rows.findIndex(isInView)) : Math.min(rows.length - 1, Math.max(0, here + step));
  rows[next]?.focus();
  rows[next]?.scrollIntoView({ block: "nearest" });
}

const isInView = (row: HTMLElement): boolean => row.getBoundingClientRect().top >= 0;

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== "radio" && target.type !== "checkbox";
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
