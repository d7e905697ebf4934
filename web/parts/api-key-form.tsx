import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { setApiKey } from "../api-key.ts";

/** Asks for the key of a guarded service and tries everything again with it. */
export function ApiKeyForm({ onSaved }: { onSaved?: (() => void) | undefined }) {
  const [value, setValue] = useState("");
  const client = useQueryClient();
  const id = useId();

  const save = (): void => {
    setApiKey(value.trim());
    void client.resetQueries();
    onSaved?.();
  };

  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        save();
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
          onChange={(event) => setValue(event.target.value)}
        />
      </label>
      <button className="button button-primary">Use key</button>
    </form>
  );
}
