import { mainArea } from "../parts/main-area.ts";
import { changeSearch } from "../parts/use-search-state.ts";

export function NoMatch() {
  return (
    <div className="panel grid justify-items-start gap-2 p-6">
      <p className="font-medium">No run matches these filters.</p>
      <button
        type="button"
        className="button"
        onClick={() => {
          // The button goes away.
          mainArea()?.focus();
          changeSearch({ state: null, search: null, name: null, model: null });
        }}
      >
        Clear filters
      </button>
    </div>
  );
}
