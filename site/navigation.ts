/** A Markdown file of the repository and its path on the site. */
export interface SitePage {
  /** Path in the repository. */
  readonly source: string;
  /** Path on the site. */
  readonly target: string;
  /** Its name in the navigation. Default: its first heading. */
  readonly label?: string;
}

export interface NavigationGroup {
  readonly title: string;
  readonly pages: readonly SitePage[];
}

const doc = (name: string, label?: string): SitePage => ({
  source: `docs/${name}.md`,
  target: `${name}.html`,
  ...(label !== undefined && { label }),
});

const rootFile = (name: string, label: string): SitePage => ({
  source: `${name}.md`,
  target: `${name.toLowerCase()}.html`,
  label,
});

/** Every page of the site except the decisions, in reading order. */
export const navigation: readonly NavigationGroup[] = [
  {
    title: "Begin",
    pages: [
      { source: "README.md", target: "index.html", label: "Rehearsal" },
      doc("start", "Five minutes"),
      doc("http", "Over HTTP"),
      doc("agents", "Testing an agent"),
      doc("concepts", "Concepts"),
      doc("choosing", "Choosing"),
    ],
  },
  {
    title: "What the numbers mean",
    pages: [
      doc("scoring", "Scores"),
      doc("statistics", "Statistics"),
      doc("experiments", "Experiments"),
      doc("switching-models", "Switching models"),
      doc("judges", "Judges"),
      doc("worlds", "Worlds"),
      doc("targets", "Targets"),
      doc("spans", "See what an agent does"),
      doc("simulated-users", "Simulated users"),
    ],
  },
  { title: "Serve a model", pages: [doc("agent", "The agent"), doc("mcp", "MCP")] },
  {
    title: "In your tool chain",
    pages: [
      doc("cli", "Command line"),
      doc("library", "Library"),
      doc("python", "Python"),
      doc("ci", "CI"),
      doc("formats", "Files and formats"),
      doc("traces", "Production traces"),
      doc("migrate-from-promptfoo", "From promptfoo"),
      doc("migrate-from-openai-evals", "From OpenAI Evals"),
    ],
  },
  {
    title: "Run it for others",
    pages: [
      doc("scale", "Scale"),
      doc("reliability", "Reliability"),
      doc("benchmarks", "Benchmarks"),
      rootFile("SECURITY", "Security"),
      doc("threat-model", "Threat model"),
    ],
  },
  {
    title: "Reference",
    pages: [
      doc("reference/api-evaluation", "API: evaluation service"),
      doc("reference/api-agent", "API: agent backend"),
      doc("reference/errors", "Errors"),
      doc("reference/configuration", "Configuration"),
      doc("reference/environment", "Environment"),
      doc("reference/formats", "Formats"),
      doc("reference/protocols", "Protocols"),
    ],
  },
  {
    title: "The project",
    pages: [rootFile("CONTRIBUTING", "Contributing"), rootFile("CHANGELOG", "Changelog")],
  },
];
