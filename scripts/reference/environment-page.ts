import { variables, type Variable } from "../../src/settings/variables.ts";

/** docs/reference/environment.md: every variable the services read. */
export function environmentPage(): string {
  return `# Environment

Written by \`node scripts/write-reference.ts\` from \`src/settings/variables.ts\`; do not edit.

Read once at the start, from the process and from \`.env\`, or from the files \`--env\` names instead; the process outranks a file, a later file an earlier one. A value that cannot be used ends the start with one line and exit code 78;
an unknown name with one of our prefixes is warned about with the nearest known one. A variable marked secret may be given as
\`<name>_FILE\` instead: the path of a file that holds it. Defaults joined by \`/\` are those of the evaluation service and the agent backend.

${variables.map(line).join("\n")}
`;
}

function line({ name, default: value, meaning, secret }: Variable): string {
  const notes = [...(value === "" ? [] : [`default ${value}`]), ...(secret ? ["secret"] : [])];
  return `- \`${name}\`${notes.length > 0 ? ` (${notes.join("; ")})` : ""}: ${meaning}`;
}
