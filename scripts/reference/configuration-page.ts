import { jsonSchemaOf } from "../../src/cli/commands/schema.ts";
import { configNames } from "../../src/cli/config/load-config.ts";
import type { JsonSchema } from "./open-api-view.ts";
import { schemaWords } from "./schema-words.ts";

/** docs/reference/configuration.md: every key of rehearsal.yaml. */
export function configurationPage(): string {
  const { $defs } = jsonSchemaOf("config") as { $defs: Readonly<Record<"RehearsalConfig", JsonSchema>> };
  const { properties = {} } = $defs.RehearsalConfig;
  return `# Configuration

Written by \`node scripts/write-reference.ts\` from \`src/cli/config/config.ts\`; do not edit.

What \`rehearsal eval\` and \`rehearsal watch\` do when nothing else is typed: the first of ${listed(configNames)} in the folder, or the file \`--config\`
names. Every key may be left out, and what is typed outranks it. \`\${NAME}\` and \`\${NAME:-default}\` in YAML and JSON are taken from the
environment; a module's default export is the configuration, or a function that makes it ([an example](../library.md)). An unknown key is a
mistake and says which was meant. \`rehearsal schema config\` prints the same as a JSON schema for editors.

${Object.entries(properties)
  .filter(([name]) => name !== "$schema")
  .map(line)
  .join("\n")}
`;
}

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

/** Fields that a request has too are described there. */
const asInRequest: Readonly<Record<string, string>> = {
  parameters: "Parameters",
  judge: "JudgeSettings",
  labeller: "LabellerSettings",
  budget: "Budget",
};

const link = (name: string): string => `[${name}](api-evaluation.md#${name.toLowerCase()})`;

function line([name, schema]: [string, JsonSchema]): string {
  const { description } = schema;
  const shape = asInRequest[name] === undefined ? schemaWords(schema, link) : link(asInRequest[name]);
  return `- \`${name}\` (${shape})${description === undefined ? "" : `: ${description}`}`;
}
