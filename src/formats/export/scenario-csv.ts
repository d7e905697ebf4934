import { roleOfName } from "../column-mapping.ts";
import type { ExportResult, FileInteraction, FileScenario, Note } from "../scenario-file.ts";
import { csvText } from "./csv-text.ts";

interface Turn {
  readonly scenario: FileScenario;
  readonly interaction: FileInteraction;
  readonly index: number;
}

interface Column {
  readonly name: string;
  /** Optional columns are written only when some turn has something to say in them. */
  readonly optional?: boolean;
  readonly cell: (turn: Turn) => string | number;
}

const json = (value: unknown): string => JSON.stringify(value);
const onFirst = ({ index }: Turn, text: string): string => (index === 0 ? text : "");

/** Long form: a row per turn, labels that are plain text in columns of their own, everything else as JSON in a cell. */
export function exportScenarioCsv(scenarios: readonly FileScenario[]): ExportResult {
  const turns = scenarios.flatMap((scenario) =>
    scenario.interactions.map((interaction, index): Turn => ({ scenario, interaction, index })),
  );
  const labels = labelNames(turns);
  const columns = columnsFor(labels).filter(
    ({ optional, cell }) => !optional || turns.some((turn) => cell(turn) !== ""),
  );
  const rows = turns.map((turn) => columns.map(({ cell }) => cell(turn)));
  return { text: csvText([columns.map(({ name }) => name), ...rows]), notes: surrogateNotes(turns) };
}

function columnsFor(labels: readonly string[]): Column[] {
  return [
    { name: "scenario_id", cell: ({ scenario }) => scenario.id },
    { name: "turn", cell: ({ index }) => index + 1 },
    { name: "interaction_id", cell: ({ interaction }) => interaction.id },
    { name: "user_message", cell: ({ interaction }) => interaction.user_message },
    { name: "reference_reply", cell: ({ interaction }) => interaction.reference_reply },
    ...labels.map((name) => ({ name, cell: (turn: Turn) => labelText(turn, name) })),
    { name: "reference_metadata", optional: true, cell: (turn) => otherLabels(turn, labels) },
    {
      name: "references",
      optional: true,
      cell: ({ interaction }) => (interaction.references ? json(interaction.references) : ""),
    },
    {
      name: "checks",
      optional: true,
      cell: ({ interaction }) => (interaction.checks ? json(interaction.checks) : ""),
    },
    { name: "interaction_type", optional: true, cell: ({ interaction }) => interaction.interaction_type ?? "" },
    { name: "agent_reply", optional: true, cell: ({ interaction }) => interaction.agent_reply },
    {
      name: "generated_metadata",
      optional: true,
      cell: ({ interaction: { generated_metadata } }) =>
        Object.keys(generated_metadata).length > 0 ? json(generated_metadata) : "",
    },
    { name: "description", optional: true, cell: (turn) => onFirst(turn, turn.scenario.description) },
    { name: "tags", optional: true, cell: (turn) => onFirst(turn, turn.scenario.tags ? json(turn.scenario.tags) : "") },
    { name: "system_prompt", optional: true, cell: (turn) => onFirst(turn, turn.scenario.system_prompt ?? "") },
  ];
}

/** Label keys that can be a column name and be told from our own columns. */
function labelNames(turns: readonly Turn[]): string[] {
  const keys = new Set(turns.flatMap(({ interaction }) => Object.keys(interaction.reference_metadata)));
  return [...keys].filter((key) => /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(key) && roleOfName(key) === undefined);
}

function labelText({ interaction }: Turn, name: string): string {
  const value = Object.hasOwn(interaction.reference_metadata, name) ? interaction.reference_metadata[name] : undefined;
  return typeof value === "string" ? value : "";
}

/** What a text cell would change: numbers, lists, empty text. */
function otherLabels(turn: Turn, labels: readonly string[]): string {
  const entries = Object.entries(turn.interaction.reference_metadata);
  const others = entries.filter(([name]) => !labels.includes(name) || labelText(turn, name) === "");
  return others.length === 0 ? "" : json(Object.fromEntries(others));
}

function surrogateNotes(turns: readonly Turn[]): Note[] {
  return turns
    .filter(
      ({ interaction }) => !interaction.user_message.isWellFormed() || !interaction.reference_reply.isWellFormed(),
    )
    .map(({ scenario, index }) => ({
      kind: "changed" as const,
      message: `${scenario.id}, turn ${index + 1}: half a character cannot be written as UTF-8; it was replaced`,
    }));
}
