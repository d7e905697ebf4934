import { jsonSchemaOf } from "../../src/cli/commands/files/schema.ts";
import { configNames } from "../../src/cli/config/load-config.ts";
import type { JsonSchema } from "./open-api-view.ts";
import { schemaWords } from "./schema-words.ts";

/** docs/reference/configuration.md: every key of rehearsal.yaml. */
export function configurationPage(): string {
  const { $defs } = jsonSchemaOf("config") as { $defs: Readonly<Record<"RehearsalConfig", JsonSchema>> };
  const { limits = {}, ...properties } = $defs.RehearsalConfig.properties ?? {};
  return `# Configuration

Written by \`node scripts/write-reference.ts\` from \`src/cli/config/config.ts\`; do not edit.

The defaults of \`rehearsal eval\` and \`rehearsal eval --watch\`, and the limits of all commands: the first of ${listed(configNames)} in the folder, or the file \`--config\`
names. Every key is optional, and an option on the command line outranks it. \`\${NAME}\` and \`\${NAME:-default}\` in YAML and JSON are replaced from the
environment; a module's default export is the configuration, or a function that returns it ([an example](../library.md)). An unknown key is an
error that names the nearest known one. \`rehearsal schema config\` prints the same as a JSON schema for editors.

${Object.entries(properties)
  .filter(([name]) => name !== "$schema")
  .map(line)
  .join("\n")}

## Limits

\`serve\` and all commands read the key \`limits\` of the same file, and ignore its other keys. The defaults suit one machine; a large deployment may have a reason to change some:

\`\`\`yaml
limits:
  max_attempts: 500
  upstream_total_timeout_ms: 900000
\`\`\`

Services with several processes need the same file in each. ${limitsNote}

${Object.entries(limits.properties ?? {})
  .map(line)
  .join("\n")}
`;
}

const limitsNote =
  "Commands that execute runs in their own process allow any number of attempts, interactions and calls.";

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
