import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { toApiError } from "../../api/api-error.ts";
import { isKeyAccepted } from "../../api/runs.ts";
import { apiKey, setApiKey } from "../../api/http.ts";

/**
 * Stores an API key once the service accepts it, then retries failed queries. Not a form element, because it may be shown
 * inside another form.
 */
export function ApiKeyForm({ onSaved }: { onSaved?: (() => void) | undefined }) {
  const [value, setValue] = useState("");
  const client = useQueryClient();
  const id = useId();
  const save = useMutation({
    mutationFn: () => tryKey(value.trim()),
    onSuccess: (accepted) => {
      if (!accepted) return;
      // Loaded data stays: the user may be editing it.
      void client.resetQueries({ predicate: ({ state }) => state.status === "error" });
      onSaved?.();
    },
  });
  const problem = save.data === false ? "Unknown API key." : errorMessage(save.error);
  const ready = value.trim() !== "" && !save.isPending;

  return (
    <div className="flex flex-wrap items-end gap-2">
      <label htmlFor={id} className="grid gap-1 text-sm font-medium">
        API key (stored in this tab only)
        <input
          id={id}
          type="password"
          autoComplete="off"
          className="field"
          value={value}
          aria-invalid={save.data === false}
          aria-describedby={problem ? `${id}-note` : undefined}
          onChange={(event) => {
            setValue(event.target.value);
            save.reset();
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            if (ready) save.mutate();
          }}
        />
      </label>
      <button type="button" className="button button-primary" disabled={!ready} onClick={() => save.mutate()}>
        {save.isPending ? "Checking …" : "Use key"}
      </button>
      {problem && (
        <p id={`${id}-note`} role="alert" className="basis-full text-xs font-medium text-bad">
          ✕ {problem}
        </p>
      )}
      {save.data === true && (
        <p role="status" className="basis-full text-xs font-medium text-good">
          ✓ Key accepted
        </p>
      )}
    </div>
  );
}

/** Stores a key if the service accepts it; otherwise restores the previous one. */
async function tryKey(key: string): Promise<boolean> {
  const before = apiKey();
  setApiKey(key);
  let accepted = false;
  try {
    accepted = await isKeyAccepted();
    return accepted;
  } finally {
    if (!accepted) setApiKey(before ?? "");
  }
}

function errorMessage(error: Error | null): string | null {
  if (error === null) return null;
  const { message, hint } = toApiError(error);
  return `${message}. ${hint}`;
}
