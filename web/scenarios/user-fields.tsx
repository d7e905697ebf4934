import { Plus, Trash2 } from "lucide-react";
import { isRecord } from "../../src/base/json.ts";
import { problemsAt, type FieldProblem } from "../parts/forms/field-problems.ts";
import { TextArea, TextField } from "../parts/forms/fields.tsx";

type EditedUser = Readonly<Record<string, unknown>>;

interface UserFieldsProps {
  /** The `user` of the scenario, as typed. */
  readonly user: unknown;
  readonly problems: readonly FieldProblem[];
  readonly onChange: (user: EditedUser | undefined) => void;
}

const emptyUser: EditedUser = { goal: "", max_turns: 10 };

/** The simulated user of a scenario. The service validates it. */
export function UserFields({ user, problems, onChange }: UserFieldsProps) {
  if (!isRecord(user)) {
    return (
      <button type="button" className="button justify-self-start" onClick={() => onChange(emptyUser)}>
        <Plus aria-hidden size={14} /> Simulated user
      </button>
    );
  }
  const change = (name: string, value: unknown): void => {
    const { [name]: _, ...rest } = user;
    onChange(
      value === "" || value === undefined
        ? name === "goal"
          ? { ...rest, goal: "" }
          : rest
        : { ...user, [name]: value },
    );
  };
  const textOf = (name: string): string => {
    const value = user[name];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  const at = (name: string): readonly FieldProblem[] => problemsAt(problems, `/user/${name}`);
  return (
    <fieldset className="panel grid gap-3 p-4">
      <legend className="sr-only">Simulated user</legend>
      <div className="flex flex-wrap items-center gap-x-3">
        <h2 className="text-sm font-semibold">Simulated user</h2>
        <span className="text-xs text-soft">A model plays the user, after the turns above.</span>
        <button type="button" className="button ml-auto" onClick={() => onChange(undefined)}>
          <Trash2 aria-hidden size={14} /> Remove
        </button>
      </div>
      <TextArea label="Goal" value={textOf("goal")} problems={at("goal")} onText={(text) => change("goal", text)} />
      <TextArea
        label="Persona (optional)"
        placeholder="Who the user is, and how they write"
        value={textOf("persona")}
        problems={at("persona")}
        onText={(text) => change("persona", text)}
      />
      <TextArea
        label="Knows (name: value, one per line)"
        placeholder="order_id: 1042"
        value={factLines(user["knows"])}
        problems={at("knows")}
        onText={(text) => change("knows", parseFacts(text))}
      />
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_8rem]">
        <TextArea
          label="Opening (optional)"
          placeholder="The first message, sent exactly so"
          value={textOf("opening")}
          problems={at("opening")}
          onText={(text) => change("opening", text)}
        />
        <TextField
          label="Turns at most"
          value={textOf("max_turns")}
          problems={at("max_turns")}
          onText={(text) => change("max_turns", /^\d+$/.test(text) ? Number(text) : text)}
        />
      </div>
    </fieldset>
  );
}

function factLines(knows: unknown): string {
  if (typeof knows === "string") return knows;
  if (!isRecord(knows)) return "";
  return Object.entries(knows)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join("\n");
}

/** Facts by name; a text where a line has no name yet, so that nothing is lost while it is typed. */
function parseFacts(text: string): unknown {
  if (text.trim() === "") return undefined;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line) => /^\s*([^\s:][^:]*):\s(.*)$/.exec(line));
  if (text.endsWith("\n") || pairs.some((pair) => !pair)) return text;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1]?.trim() ?? "", pair?.[2] ?? ""]));
}
