import { resultFormats, scenarioFormats, type ScenarioFormat } from "../../src/formats/formats.ts";

/** docs/reference/formats.md: what can be read and written. */
export function formatsPage(): string {
  return `# Formats

Written by \`node scripts/write-reference.ts\` from \`src/formats/formats.ts\`; do not edit.

Scenarios are read by \`rehearsal import\`, \`rehearsal eval\`, \`POST /scenarios/import\` and the page. The format is found from what stands in the
file; \`--from\` names it where that goes wrong. Whatever cannot be carried over is named with its line or its place in the file.

## Scenarios

${scenarioFormats.map(scenarioLine).join("\n")}

## Results

Written by \`rehearsal runs export <run> -f <format>\` and \`GET /runs/{run_id}/export\`.

${resultFormats.map(({ id, title, extension }) => `- \`${id}\` (\`.${extension}\`): ${title}`).join("\n")}
`;
}

function scenarioLine({ id, title, extensions, write }: ScenarioFormat): string {
  const names = extensions.map((extension) => `\`.${extension}\``).join(", ");
  return `- \`${id}\` (${names}; ${write ? "in and out" : "in"}): ${title}`;
}
