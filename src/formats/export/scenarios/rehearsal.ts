import { compact } from "../../../base/compact.ts";
import { stringify } from "yaml";
import { turnId } from "../../../contract/schemas/scenario.ts";
import type { ExportResult, FileInteraction, FileScenario, Note } from "../../scenario-file.ts";
import { wholeExtras } from "../../shared/extras.ts";
import { roleOfName } from "../../documents/columns.ts";
import { wholeColumns } from "../../tables/plan-columns.ts";
import { csvText, jsonLines, prettyJson } from "../../documents/serialize.ts";

/** One scenario as the `test_batch` object, several as a list. */
export function exportScenarioJson(scenarios: readonly FileScenario[]): ExportResult {
  return { text: prettyJson(scenarios.length === 1 ? scenarios[0] : scenarios), notes: [] };
}

export function exportScenarioLines(scenarios: readonly FileScenario[]): ExportResult {
  return { text: jsonLines(scenarios), notes: [] };
}

/** One document per scenario, without fields at their defaults: people read and edit these files. */
export function exportScenarioYaml(scenarios: readonly FileScenario[]): ExportResult {
  const documents = scenarios.map((scenario) => stringify(leanScenario(scenario), { lineWidth: 0 }));
  return { text: documents.join("---\n"), notes: [] };
}

function leanScenario(scenario: FileScenario): object {
  const { id, description, system_prompt, tags, interactions } = scenario;
  const { expect, ...about } = wholeExtras(scenario);
  return compact({
    id,
    description: description || undefined,
    system_prompt,
    tags,
    ...about,
    interactions: interactions.length > 0 ? interactions.map(leanInteraction) : undefined,
    expect,
  });
}

function leanInteraction(interaction: FileInteraction): object {
  const { id, user_message, agent_reply, reference_reply, references, interaction_type } = interaction;
  const { reference_metadata, checks, generated_metadata, reference_tool_calls, context } = interaction;
  return compact({
    id,
    interaction_type,
    user_message,
    reference_reply: reference_reply !== "" ? reference_reply : undefined,
    references,
    reference_tool_calls,
    agent_reply: agent_reply !== "" ? agent_reply : undefined,
    context,
    reference_metadata: Object.keys(reference_metadata).length > 0 ? reference_metadata : undefined,
    checks,
    generated_metadata: Object.keys(generated_metadata).length > 0 ? generated_metadata : undefined,
  });
}

interface CsvTurn {
  readonly scenario: FileScenario;
  readonly interaction: FileInteraction;
  readonly index: number;
}

interface CsvColumn {
  readonly name: string;
  /** Written only if some turn has a value for it. */
  readonly optional?: boolean;
  readonly cell: (turn: CsvTurn) => string | number;
}

const json = (value: unknown): string => JSON.stringify(value);
const onFirst = ({ index }: CsvTurn, text: string): string => (index === 0 ? text : "");

/** Long form: a row per turn, text labels in columns, everything else as JSON in a cell. */
export function exportScenarioCsv(scenarios: readonly FileScenario[]): ExportResult {
  const turns = scenarios.flatMap((scenario) =>
    scenario.interactions.map((interaction, index): CsvTurn => ({ scenario, interaction, index })),
  );
  const labels = labelNames(turns);
  const columns = columnsFor(labels).filter(
    ({ optional, cell }) => !optional || turns.some((turn) => cell(turn) !== ""),
  );
  const rows = turns.map((turn) => columns.map(({ cell }) => cell(turn)));
  return {
    text: csvText([columns.map(({ name }) => name), ...rows]),
    notes: [...unscriptedNotes(scenarios), ...surrogateNotes(turns), ...promptNotes(turns)],
  };
}

function columnsFor(labels: readonly string[]): CsvColumn[] {
  return [
    { name: "scenario_id", cell: ({ scenario }) => scenario.id },
    { name: "turn", cell: ({ index }) => index + 1 },
    { name: "interaction_id", cell: ({ interaction, index }) => turnId(interaction, index) },
    { name: "user_message", cell: ({ interaction }) => interaction.user_message },
    { name: "reference_reply", cell: ({ interaction }) => interaction.reference_reply },
    ...labels.map((name) => ({ name, cell: (turn: CsvTurn) => labelText(turn, name) })),
    { name: "reference_metadata", optional: true, cell: (turn) => otherLabels(turn, labels) },
    {
      name: "references",
      optional: true,
      cell: ({ interaction }) => (interaction.references ? json(interaction.references) : ""),
    },
    {
      name: "reference_tool_calls",
      optional: true,
      cell: ({ interaction: { reference_tool_calls } }) => (reference_tool_calls ? json(reference_tool_calls) : ""),
    },
    {
      name: "checks",
      optional: true,
      cell: ({ interaction }) => (interaction.checks ? json(interaction.checks) : ""),
    },
    { name: "interaction_type", optional: true, cell: ({ interaction }) => interaction.interaction_type ?? "" },
    { name: "agent_reply", optional: true, cell: ({ interaction }) => interaction.agent_reply },
    {
      name: "context",
      optional: true,
      cell: ({ interaction }) => (interaction.context ? json(interaction.context) : ""),
    },
    {
      name: "generated_metadata",
      optional: true,
      cell: ({ interaction: { generated_metadata } }) =>
        Object.keys(generated_metadata).length > 0 ? json(generated_metadata) : "",
    },
    { name: "description", optional: true, cell: (turn) => onFirst(turn, turn.scenario.description) },
    { name: "tags", optional: true, cell: (turn) => onFirst(turn, turn.scenario.tags ? json(turn.scenario.tags) : "") },
    { name: "system_prompt", optional: true, cell: (turn) => onFirst(turn, turn.scenario.system_prompt ?? "") },
    ...wholeColumns.map((name) => ({
      name,
      optional: true,
      cell: (turn: CsvTurn) => onFirst(turn, turn.scenario[name] ? json(turn.scenario[name]) : ""),
    })),
  ];
}

/** Label keys that are usable column names and cannot be mistaken for our own columns. */
function labelNames(turns: readonly CsvTurn[]): string[] {
  const keys = new Set(turns.flatMap(({ interaction }) => Object.keys(interaction.reference_metadata)));
  const isOurs = (key: string): boolean => roleOfName(key) !== undefined || wholeColumns.some((name) => name === key);
  return [...keys].filter((key) => /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(key) && !isOurs(key));
}

function labelText({ interaction }: CsvTurn, name: string): string {
  const value = Object.hasOwn(interaction.reference_metadata, name) ? interaction.reference_metadata[name] : undefined;
  return typeof value === "string" ? value : "";
}

/** Labels that a text cell would change: numbers, lists, empty text. */
function otherLabels(turn: CsvTurn, labels: readonly string[]): string {
  const entries = Object.entries(turn.interaction.reference_metadata);
  const others = entries.filter(([name]) => !labels.includes(name) || labelText(turn, name) === "");
  return others.length === 0 ? "" : json(Object.fromEntries(others));
}

/** A table has a row for each turn of the script. */
function unscriptedNotes(scenarios: readonly FileScenario[]): Note[] {
  return scenarios.flatMap(({ id, interactions }) =>
    interactions.length > 0
      ? []
      : [{ kind: "dropped" as const, message: `${id}: the scenario was dropped, because it has no scripted turn` }],
  );
}

/** A column of that name would be read as the user's message. */
function promptNotes(turns: readonly CsvTurn[]): Note[] {
  return turns.flatMap(({ scenario, index, interaction: { prompt } }) =>
    prompt === undefined
      ? []
      : { kind: "dropped" as const, message: `${scenario.id}, turn ${index + 1}: a table cannot hold its prompt` },
  );
}

function surrogateNotes(turns: readonly CsvTurn[]): Note[] {
  return turns
    .filter(
      ({ interaction }) => !interaction.user_message.isWellFormed() || !interaction.reference_reply.isWellFormed(),
    )
    .map(({ scenario, index }) => ({
      kind: "changed" as const,
      message: `${scenario.id}, turn ${index + 1}: an unpaired surrogate cannot be written as UTF-8; it was replaced`,
    }));
}
