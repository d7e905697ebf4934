import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ScenarioInput, type Scenario } from "../../../src/contract/schemas/scenario.ts";
import { canonicalJson, toPointer } from "../../../src/base/json.ts";
import type { z } from "zod";
import type { ImportRequest, LibraryChange } from "../../../src/contract/schemas/library.ts";
import { importScenarios } from "../../../src/formats/import-scenarios.ts";
import { makeProblem } from "./fake-agent.ts";
import { readJson, sendJson, sendProblem } from "./fake-io.ts";

interface Version {
  readonly scenario: Scenario;
  readonly version: string;
  readonly created_at: string;
  readonly demo: boolean;
}

/** Scenarios of the fake evaluation service, by id, the newest version first. */
export interface FakeLibrary {
  readonly scenarios: Map<string, Version[]>;
  put(scenario: Scenario, demo: boolean): { id: string; version: string; created: boolean };
}

const versionOf = (scenario: Scenario): string =>
  createHash("sha256").update(canonicalJson(scenario)).digest("hex").slice(0, 16);

export function createFakeLibrary(initial: readonly Scenario[]): FakeLibrary {
  const scenarios = new Map<string, Version[]>();
  const put: FakeLibrary["put"] = (scenario, demo) => {
    const version = versionOf(scenario);
    const versions = scenarios.get(scenario.id) ?? [];
    const known = versions.find((entry) => entry.version === version);
    if (versions[0]?.version !== version) {
      const created_at = new Date(Date.UTC(2026, 10, 14, 9, versions.length)).toISOString();
      const rest = versions.filter((entry) => entry !== known);
      scenarios.set(scenario.id, [{ scenario, version, created_at, demo }, ...rest]);
    }
    return { id: scenario.id, version, created: known === undefined };
  };
  for (const scenario of initial) put(scenario, true);
  return { scenarios, put };
}

interface LibraryCall {
  readonly library: FakeLibrary;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

export async function answerLibrary({ library, request, response, url }: LibraryCall): Promise<void> {
  const [, , segment = "", action] = url.pathname.split("/");
  if (segment === "import") return sendJson(response, 200, importText(library, await readJson(request)));
  if (segment === "" && request.method === "POST") return keep(library, await readJson(request), response);
  if (segment === "" && request.method === "DELETE") {
    for (const [id, versions] of library.scenarios) if (versions[0]?.demo) library.scenarios.delete(id);
    return void response.writeHead(204).end();
  }
  if (segment === "" && url.searchParams.has("format")) return exportAs(url.searchParams.get("format"), response);
  if (segment === "") return sendJson(response, 200, list(library, url.searchParams));

  const versions = library.scenarios.get(decodeURIComponent(segment));
  const wanted = url.searchParams.get("version");
  const found = versions?.find((entry) => wanted === null || entry.version === wanted);
  if (!versions || !found) return sendProblem(response, makeProblem("not_found", "There is no such scenario."));
  if (request.method === "DELETE") {
    library.scenarios.delete(found.scenario.id);
    return void response.writeHead(204).end();
  }
  sendJson(response, 200, action === "versions" ? { versions } : found);
}

/** ShareGPT is the only format here that drops something. */
function exportAs(format: string | null, response: ServerResponse): void {
  const notes = String.raw`{"count":3,"notes":["r\u00e9fund: the format does not support labels"]}`;
  if (format === "sharegpt") response.setHeader("rehearsal-export-notes", notes);
  response.writeHead(200).end("exported");
}

function list({ scenarios }: FakeLibrary, query: URLSearchParams) {
  const search = query.get("search")?.toLowerCase() ?? "";
  const tag = query.get("tag");
  const only = query.get("id");
  const entries = [...scenarios.values()].flatMap((versions) => {
    const [newest] = versions;
    if (!newest) return [];
    const { scenario, version, created_at, demo } = newest;
    if (!`${scenario.id} ${scenario.description}`.toLowerCase().includes(search)) return [];
    if (only !== null && scenario.id !== only) return [];
    if (tag !== null && !scenario.tags.includes(tag)) return [];
    const { id, description, tags, interactions } = scenario;
    return [
      {
        id,
        description,
        tags,
        interactions: interactions.length,
        version,
        versions: versions.length,
        updated_at: created_at,
        demo,
      },
    ];
  });
  return { scenarios: entries.toSorted((left, right) => (left.id < right.id ? -1 : 1)), next_cursor: null };
}

const withDefaults = (scenario: Partial<Scenario> & { id: string }): Scenario => ({
  description: "",
  tags: [],
  ...scenario,
  interactions: (scenario.interactions ?? []).map((turn, index) => ({
    ...turn,
    interaction_type: turn.interaction_type ?? (index === 0 ? "opening" : "follow_up"),
    reference_metadata: turn.reference_metadata ?? {},
  })),
});

function keep(library: FakeLibrary, body: unknown, response: ServerResponse): void {
  const scenario = body as Scenario;
  const errors = [
    ...emptyFields(scenario).map((pointer) => ({
      pointer,
      code: "too_small",
      message: "must have at least 1 character",
    })),
    ...actingProblems(scenario),
  ];
  if (errors.length > 0) {
    return sendProblem(response, { ...makeProblem("validation_failed", "The scenario is not valid."), errors });
  }
  const turns = (entry: Scenario): string => JSON.stringify(entry.interactions.map((turn) => turn.user_message));
  const twin = [...library.scenarios.values()].find(
    ([other]) => other && other.scenario.id !== scenario.id && turns(other.scenario) === turns(scenario),
  );
  const kept = library.put(withDefaults(scenario), false);
  const duplicate_of = twin?.[0]?.scenario.id;
  sendJson(response, 200, { scenarios: [{ ...kept, ...(duplicate_of !== undefined && { duplicate_of }) }] });
}

/** Problems of the fields of an agent that acts, by the contract. */
const actingProblems = (scenario: unknown) =>
  (ScenarioInput.safeParse(scenario).error?.issues ?? [])
    .filter(({ path: [field] }) => field === "world" || field === "expect")
    .map(({ path, code, message }) => ({ pointer: toPointer(path), code, message }));

const emptyFields = ({ id, interactions }: Scenario): string[] => [
  ...(id === "" ? ["/id"] : []),
  ...interactions.flatMap((turn, index) => [
    ...(turn.id === "" ? [`/interactions/${index}/id`] : []),
    ...(turn.checks ?? []).flatMap((check, at) =>
      "text" in check && check.text === "" ? [`/interactions/${index}/checks/${at}/text`] : [],
    ),
  ]),
];

/** Traces are read by the service's own reader. */
function importTraces(library: FakeLibrary, { text, traces, review, dry_run }: z.input<typeof ImportRequest>) {
  const read = importScenarios({ text, traces, ...(review && { tags: ["review"] }) });
  const kept = dry_run ? [] : read.scenarios.map((scenario) => library.put(withDefaults(scenario as Scenario), false));
  return { ...read, kept };
}

/** A question per line; the first line names the columns. */
function importText(library: FakeLibrary, body: unknown) {
  const { text, dry_run, mapping = "" } = body as { text: string; dry_run?: boolean; mapping?: string };
  if (text.startsWith("[")) {
    const scenarios = (JSON.parse(text) as Scenario[]).map(withDefaults);
    return { format: "json", reason: "", scenarios, notes: [], kept: [], changes: changesBy(library, scenarios) };
  }
  if (text.includes("resourceSpans")) return importTraces(library, body as z.input<typeof ImportRequest>);
  const [, ...lines] = text.trim().split("\n");
  const scenarios = lines.map((line, index) =>
    withDefaults({
      id: `row-${index + 1}`,
      interactions: [{ id: "1", user_message: line.split(",")[0] ?? "", reference_reply: line.split(",")[1] ?? "" }],
    } as Scenario),
  );
  const kept = dry_run ? [] : scenarios.map((scenario) => library.put(scenario, false));
  const notes = [{ kind: "dropped", line: 3, message: `the column "colour" has no place here ${mapping}` }];
  const changes = dry_run ? { changes: changesBy(library, scenarios) } : {};
  return { format: "csv", reason: "comma separated, with a header", scenarios, notes, kept, ...changes };
}

/** What storing the scenarios would do, by the hash of their content as the service compares it. */
function changesBy(library: FakeLibrary, scenarios: readonly Scenario[]): LibraryChange[] {
  return scenarios.map((scenario) => {
    const stored = library.scenarios.get(scenario.id)?.[0]?.version;
    if (stored === undefined) return { id: scenario.id, state: "new" };
    if (stored === versionOf(scenario)) return { id: scenario.id, state: "unchanged" };
    return { id: scenario.id, state: "replaced", loses: ["checks of 1 turn"] };
  });
}
