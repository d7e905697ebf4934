import { useState } from "react";
import { apiKey, setApiKey } from "../api-key.ts";
import { ApiKeyForm } from "../parts/api-key-form.tsx";
import { CopyButton } from "../parts/copy-button.tsx";

const commands = [
  { line: "rehearsal keys create alice --scopes evaluate,runs:read,runs:write,agent,models:read", does: "makes one" },
  { line: "rehearsal keys list", does: "shows who has one, and when it was last used" },
  { line: "rehearsal keys revoke ID", does: "takes one away at once" },
] as const;

/** The key of this tab, and how keys are managed: where the services run, never over the network. */
export function KeySettings({ required }: { required: boolean | undefined }) {
  const [known, setKnown] = useState(() => apiKey() !== null);
  return (
    <>
      <p className="max-w-prose text-sm text-soft">{known ? setWords(required) : requiredWords(required)}</p>
      <ApiKeyForm onSaved={() => setKnown(apiKey() !== null)} />
      {known && (
        <button
          type="button"
          className="button justify-self-start"
          onClick={() => {
            setApiKey("");
            setKnown(false);
          }}
        >
          Forget the key
        </button>
      )}
      <details className="w-full text-sm">
        <summary className="text-soft">Make, list and revoke keys</summary>
        <p className="mt-2 max-w-prose text-soft">
          On the machine the services run on. Keys of model providers are no part of this: they stay in the services'
          environment.
        </p>
        <ul className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-1">
          {commands.map(({ line, does }) => (
            <li key={line} className="flex flex-wrap items-center gap-x-3 rounded-md bg-sunken py-0.5 pr-1 pl-3">
              <code className="mono min-w-0 flex-1 basis-60 break-words">{line}</code>
              <span className="text-xs text-soft">{does}</span>
              <CopyButton text={line} />
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function setWords(required: boolean | undefined): string {
  const words = "A key is set for this tab. It is forgotten when the tab is closed.";
  return required === false ? `${words} The services ask for none, so nobody has checked it.` : words;
}

function requiredWords(required: boolean | undefined): string {
  if (required === true) return "The services ask for a key.";
  if (required === false) return "No key is needed: the services ask for none.";
  return "Needed only where the services ask for one.";
}
