import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { toApiError } from "../api-error.ts";
import { isKeyTaken } from "../api.ts";
import { apiKey, setApiKey } from "../api-key.ts";

/**
 * Asks for the key of a guarded service and, once the service takes it, tries again what has failed. It may stand in a form of
 * something else, which is not sent with it: so it is no form element itself.
 */
export function ApiKeyForm({ onSaved }: { onSaved?: (() => void) | undefined }) {
  const [value, setValue] = useState("");
  const client = useQueryClient();
  const id = useId();
  const save = useMutation({
    mutationFn: () => tryKey(value.trim()),
    onSuccess: (taken) => {
      if (!taken) return;
      // What is there already stays: somebody may be writing in it.
      void client.resetQueries({ predicate: ({ state }) => state.status === "error" });
      onSaved?.();
    },
  });
  const problem = save.data === false ? "The services do not know this key." : toWords(save.error);
  const ready = value.trim() !== "" && !save.isPending;

  return (
    <div className="flex flex-wrap items-end gap-2">
      <label htmlFor={id} className="grid gap-1 text-sm font-medium">
        API key (kept for this tab only)
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
          ✓ The services take this key.
        </p>
      )}
    </div>
  );
}

/** Keeps a key if the service takes it; else the one before. */
async function tryKey(key: string): Promise<boolean> {
  const before = apiKey();
  setApiKey(key);
  let taken = false;
  try {
    taken = await isKeyTaken();
    return taken;
  } finally {
    if (!taken) setApiKey(before ?? "");
  }
}

/** Why it could not be found out whether the service takes a key. */
function toWords(error: Error | null): string | null {
  if (error === null) return null;
  const { message, hint } = toApiError(error);
  return `${message}. ${hint}`;
}
