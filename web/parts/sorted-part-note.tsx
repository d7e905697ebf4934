import { formatInteger } from "./format.ts";
import { useSearchState } from "./use-search-state.ts";

/** A list that is read page by page is sorted as far as it has been read: its first row need not be the best of all. */
export function SortedPartNote({ shown, more }: { shown: number; more: boolean }) {
  const [params] = useSearchState();
  if (!more || !params.has("sort")) return null;
  return (
    <p role="status" className="text-sm text-soft">
      Only these {formatInteger(shown)} are sorted: the button below them brings more.
    </p>
  );
}
