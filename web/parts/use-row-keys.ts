import { useKeys } from "./use-keys.ts";

/** `j` and `k` move the focus along everything marked `data-row`, from the first that is in view: who comes back is where they left. */
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
