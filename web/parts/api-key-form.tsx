import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { isKeyTaken } from "../api.ts";
import { apiKey, setApiKey } from "../api-key.ts";

/** Asks for the key of a guarded service and, once the service takes it, tries everything again with it. */
export function ApiKeyForm({ onSaved }: { onSaved?: (() => void) | undefined }) {
  const [value, setValue] = useState("");
  const client = useQueryClient();
  const id = useId();
  const save = useMutation({
    mutationFn: () => tryKey(value.trim()),
    onSuccess: (taken) => {
      if (!taken) return;
      void client.resetQueries();
      onSaved?.();
    },
  });
  const refused = save.data === false;

  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <label htmlFor={id} className="grid gap-1 text-sm font-medium">
        API key (kept for this tab only)
        <input
          id={id}
          type="password"
          autoComplete="off"
          className="field"
          value={value}
          aria-invalid={refused}
          aria-describedby={refused ? `${id}-note` : undefined}
          onChange={(event) => {
            setValue(event.target.value);
            save.reset();
          }}
        />
      </label>
      <button className="button button-primary" disabled={value.trim() === "" || save.isPending}>
        {save.isPending ? "Checking …" : "Use key"}
      </button>
      {refused && (
        <p id={`${id}-note`} role="alert" className="basis-full text-xs font-medium text-bad">
          ✕ The services do not know this key.
        </p>
      )}
    </form>
  );
}

/** Keeps a key if the service takes it; else the one before. */
async function tryKey(key: string): Promise<boolean> {
  const before = apiKey();
  setApiKey(key);
  const taken = await isKeyTaken();
  if (!taken) setApiKey(before ?? "");
  return taken;
}
