import { errorKinds, type ErrorCode, type ErrorKind } from "../../src/contract/errors/errors.ts";
import { errorProofs } from "./error-proofs.ts";

/** docs/reference/errors.md: every code with its status, what to do, and the test that provokes it. */
export function errorsPage(): string {
  const kinds = Object.entries(errorKinds) as [ErrorCode, ErrorKind][];
  const byStatus = Map.groupBy(kinds, ([, { status }]) => status);
  const sections = [...byStatus]
    .toSorted(([left], [right]) => left - right)
    .map(([status, entries]) => `## ${status}\n\n${entries.map(([code, kind]) => section(code, kind)).join("\n")}`);
  return `# Errors

Written by \`node scripts/write-reference.ts\` from \`src/contract/errors/errors.ts\`; do not edit.

Every answer that is not 2xx is a problem document (RFC 9457, \`application/problem+json\`) with \`code\`, \`title\`, \`detail\`,
\`hint\`, \`retryable\`, \`request_id\` and, for wrong fields, \`errors[].pointer\`. Routes under \`/v1/\` answer in OpenAI's shape with
the same \`code\`. In an evaluation the upstream codes stand in \`error\` beside \`agent_reply\`: \`Request failed\`; the answer itself is 200.
"Retry" means that the same request may succeed later; where \`Retry-After\` is sent, wait that long. Under \`/v1/\` the other failures
carry \`x-should-retry: false\`, which keeps OpenAI's clients from sending them again.

${sections.join("\n")}`;
}

function section(code: ErrorCode, { title, hint, retryable = false }: ErrorKind): string {
  return `### \`${code}\`

${title}.${retryable ? " Retry: yes." : ""}

What to do: ${hint.replaceAll("__proto__", "`__proto__`")}

Provoked by \`${errorProofs[code]}\`.
`;
}
