import { variableSections, type Variable } from "../../src/settings/variables.ts";

/** docs/reference/environment.md: every variable that is read. */
export function environmentPage(): string {
  const sections = variableSections.map(({ title, variables }) => `## ${title}\n\n${variables.map(line).join("\n")}`);
  return `# Environment

Written by \`node scripts/write-reference.ts\` from \`src/settings/variables.ts\`; do not edit.

Variables are read once at the start, from the process and from \`.env\`, or from the files that \`--env\` names instead; the process outranks a file, a later file an earlier one. An unusable value ends the start with one line and exit code 78; an unknown name with one of our prefixes gives a warning with the nearest known one.
A variable marked secret may be given as \`<name>_FILE\` instead: the path of a file that holds it. Defaults joined by \`/\` are those of the evaluation service and the agent backend. Limits that few deployments change are keys of [\`limits\` in \`rehearsal.yaml\`](configuration.md#limits).

${sections.join("\n\n")}
`;
}

function line({ name, default: value, meaning, secret }: Variable): string {
  const notes = [...(value === undefined ? [] : [`default ${value}`]), ...(secret ? ["secret"] : [])];
  return `- \`${name}\`${notes.length > 0 ? ` (${notes.join("; ")})` : ""}: ${meaning}`;
}
