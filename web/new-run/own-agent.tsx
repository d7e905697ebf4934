import { Bot } from "lucide-react";
import type { MouseEvent } from "react";
import type { PageConfig } from "../../src/contract/schemas/service-info.ts";
import type { DraftForm } from "./draft-field.tsx";
import { agentTarget } from "./first-draft.ts";

/** Offers the agent behind this page to whoever has no endpoint at hand. */
export function OwnAgent({ form: { draft, onChange }, config }: { form: DraftForm; config: PageConfig }) {
  if (draft.endpoint.trim() !== "") return null;
  const take = ({ currentTarget: { form: around } }: MouseEvent<HTMLButtonElement>): void => {
    // The button goes away: a keyboard goes on from the field that it filled in.
    around?.querySelector("input")?.focus();
    onChange(agentTarget(config));
  };
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm text-soft sm:col-span-2">
      No endpoint at hand?
      <button type="button" className="button" onClick={take}>
        <Bot aria-hidden size={14} /> {config.demo ? "Use the built-in demo" : "Use the agent behind this page"}
      </button>
      {config.demo && "Scripted answers, not a language model."}
    </p>
  );
}
