import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { TextArea, TextField } from "../parts/forms/fields.tsx";
import { chatSettings, keepChatSettings, readNumber, type ChatSettings, type NumberField } from "./chat-settings.ts";

/** System prompt and parameters of all following messages, kept in this tab. */
export function SettingsPanel() {
  const [settings, setSettings] = useState(chatSettings);
  const change = (changes: Partial<ChatSettings>): void => {
    const next = { ...settings, ...changes };
    keepChatSettings(next);
    setSettings(next);
  };
  const set = Object.values(settings).filter((value) => value.trim() !== "").length;
  return (
    <details className="basis-full text-sm">
      <summary className="inline-flex items-center gap-1.5 py-0.5 text-soft hover:text-ink">
        <SlidersHorizontal aria-hidden size={14} /> System prompt and parameters
        {set > 0 && <span className="text-accent">{set} set</span>}
      </summary>
      <div className="grid gap-3 py-3">
        <TextArea
          label="System prompt"
          value={settings.systemPrompt}
          onText={(systemPrompt) => change({ systemPrompt })}
        />
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
          <NumberInput label="Temperature" field="temperature" settings={settings} onChange={change} />
          <NumberInput label="Top p" field="topP" settings={settings} onChange={change} />
          <NumberInput label="Max tokens" field="maxTokens" settings={settings} onChange={change} />
          <NumberInput label="Seed" field="seed" settings={settings} onChange={change} />
        </div>
      </div>
    </details>
  );
}

interface NumberInputProps {
  readonly label: string;
  readonly field: NumberField;
  readonly settings: ChatSettings;
  readonly onChange: (changes: Partial<ChatSettings>) => void;
}

const problems: Readonly<Record<NumberField, string>> = {
  temperature: "Must be a number from 0 to 10",
  topP: "Must be a number from 0 to 1",
  maxTokens: "Must be a whole number from 1",
  seed: "Must be a whole number",
};

function NumberInput({ label, field, settings, onChange }: NumberInputProps) {
  const wrong = readNumber(field, settings[field]) === null;
  return (
    <TextField
      label={label}
      inputMode="decimal"
      placeholder="default"
      value={settings[field]}
      problems={wrong ? [{ pointer: "", code: "", message: problems[field] }] : []}
      onText={(text) => onChange({ [field]: text })}
    />
  );
}
