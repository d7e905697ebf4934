import {
  addressProtocols,
  protocols,
  type ProtocolFacts,
  type ProtocolName,
} from "../../src/contract/protocols/protocols.ts";

/** docs/reference/protocols.md: how endpoints are asked, and what each protocol can carry. */
export function protocolsPage(): string {
  const rows = Object.entries(protocols).map(([name, facts]) => [`\`${name}\``, ...cells(facts)]);
  return `# Protocols

Written by \`node scripts/write-reference.ts\` from \`src/contract/protocols/protocols.ts\`; do not edit.

${Object.entries(protocols)
  .map(([name, facts]) => `- \`${name}\`: ${facts.about}. ${namedBy(name as ProtocolName, facts)}`)
  .join("\n")}

${table([columns, ...rows])}

"target": as the [target](../targets.md) says by its placeholders and pointers.
`;
}

const columns = [
  "protocol",
  "the conversation",
  "system prompt",
  "tools of a world",
  "calls seen",
  "pictures",
  "streams",
];

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, index) => Math.max(...[head, ...rows].map((row) => row[index]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function namedBy(name: ProtocolName, { kind }: ProtocolFacts): string {
  if ((addressProtocols() as readonly string[]).includes(name)) {
    const place = kind === "agent" ? ", also as the `protocol` of a target" : "";
    return `Selected by \`--protocol ${name}\`${place}.`;
  }
  if (kind === "template") return "The default of a target with a `url`.";
  return kind === "code" ? "Selected by a target on this machine." : "Selected by `protocol` in a request.";
}

const calls = {
  always: "always",
  offered: "of tools it was offered",
  reported: "when it reports them",
  never: "never",
  template: "target",
} as const;

function cells({ kind, carries }: ProtocolFacts): readonly string[] {
  if (kind === "recorded") return ["recorded", "", "", calls[carries.calls], "", ""];
  const yes = (value: boolean | "template"): string => (value === "template" ? "target" : value ? "yes" : "no");
  const tools = { offered: "offered", template: "`{{tools}}`", own: "no" }[carries.tools];
  const world = carries.world ? "by the world's address" : "";
  return [
    { sent: "sent whole", kept: "kept by the agent", template: "target" }[carries.history],
    yes(carries.system),
    [tools === "no" && world !== "" ? "" : tools, world].filter((text) => text !== "").join(", or "),
    calls[carries.calls],
    yes(carries.images),
    yes(carries.streams),
  ];
}
