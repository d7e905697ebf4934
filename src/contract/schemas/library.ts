import { z } from "zod";
import { Cursor } from "./shared/cursor.ts";
import { Warning } from "../errors/problem.ts";
import { Scenario, ScenarioInput } from "./scenario.ts";
import { TracedConversation, TraceFilter } from "./acting/traces.ts";

/** A scenario of the library. Its version is a hash of its content. */
export const LibraryScenario = z
  .object({
    scenario: Scenario,
    version: z.string(),
    created_at: z.iso.datetime().describe("Time at which this version was stored."),
    demo: z.boolean().describe("True for the examples of a new library."),
  })
  .meta({ id: "LibraryScenario" });
export type LibraryScenario = z.infer<typeof LibraryScenario>;

/** One row of the library: the newest version of a scenario. */
export const LibraryEntry = z
  .object({
    id: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    interactions: z.int().min(0).describe("Turns; 0 for a scenario whose messages a simulated user writes."),
    version: z.string(),
    versions: z.int().min(1),
    updated_at: z.iso.datetime(),
    demo: z.boolean(),
  })
  .meta({ id: "LibraryEntry" });
export type LibraryEntry = z.infer<typeof LibraryEntry>;

export const LibraryList = z
  .object({ scenarios: z.array(LibraryEntry), next_cursor: z.string().nullable() })
  .meta({ id: "LibraryList" });
export type LibraryList = z.infer<typeof LibraryList>;

/** Query of GET /scenarios. */
export const LibraryQuery = z
  .object({
    id: z.string().max(256).optional().describe("Returns only the scenario with this id."),
    search: z.string().max(200).optional().describe("Text in the id, the description or a tag."),
    tag: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: Cursor.optional(),
    format: z.string().optional().describe("Returns the whole library as a file in this format instead of one page."),
  })
  .meta({ id: "LibraryQuery" });

/** Body of POST /scenarios: one scenario or several. */
export const ScenarioBody = z.union([ScenarioInput, z.array(ScenarioInput).min(1)]).meta({ id: "ScenarioBody" });

export const KeptScenarios = z
  .object({
    scenarios: z.array(
      z.object({
        id: z.string(),
        version: z.string(),
        created: z.boolean().describe("False when this content was already stored."),
        duplicate_of: z.string().optional().describe("Another scenario with the same turns."),
      }),
    ),
    warnings: z
      .array(Warning)
      .optional()
      .describe("Unknown fields, which were not stored. Absent when there are none."),
  })
  .meta({ id: "KeptScenarios" });

/** The change that storing a scenario would make to the library. */
export const LibraryChange = z
  .object({
    id: z.string(),
    state: z
      .enum(["new", "replaced", "unchanged"])
      .describe("`replaced`: the library has other content under this id, which becomes an earlier version."),
    loses: z
      .array(z.string())
      .optional()
      .describe("With `replaced`: what the stored scenario has and the new one has not, such as `checks of 2 turns`."),
  })
  .meta({ id: "LibraryChange" });
export type LibraryChange = z.infer<typeof LibraryChange>;

/** Body of POST /scenarios/import. */
export const ImportRequest = z
  .object({
    text: z.string().describe("Content of the file. Rejected when parsing it takes more than 20 seconds."),
    name: z.string().max(1024).optional().describe("Name of the file, a hint for the format."),
    format: z.string().max(40).default("auto").describe("Format of the file; `auto` finds it out."),
    mapping: z
      .string()
      .max(2000)
      .meta({ pattern: "^([^=]*=[^=]|\\s*$)" })
      .optional()
      .describe("Columns of a table, such as `user=question,reference=answer`."),
    dry_run: z.boolean().default(false).describe("Report what would be stored, without storing it."),
    expect_recorded: z
      .boolean()
      .default(false)
      .describe("Expect recorded replies and tool calls: those of traces, logs and failed trajectories."),
    world: z
      .boolean()
      .default(true)
      .describe("Make a world of the tools and their recorded results, where the file has them."),
    traces: TraceFilter.optional().describe("Which conversations of traces are taken. Default: all."),
    review: z
      .boolean()
      .default(false)
      .describe(
        "Adds the tag `review` to every scenario, and stores the recorded replies as a run on which people can give verdicts.",
      ),
  })
  .meta({ id: "ImportRequest" });

export const ImportAnswer = z
  .object({
    format: z.string(),
    reason: z.string(),
    scenarios: z.array(ScenarioInput),
    notes: z.array(
      z.object({
        kind: z
          .enum(["dropped", "changed", "kept", "unusable"])
          .describe(
            "`dropped`: left out. `changed`: converted to another form. `kept`: nothing is lost; says where it went. `unusable`: imported, but a run does not accept it.",
          ),
        line: z.int().optional(),
        pointer: z.string().optional(),
        message: z.string(),
      }),
    ),
    kept: KeptScenarios.shape.scenarios,
    changes: z
      .array(LibraryChange)
      .optional()
      .describe("With `dry_run`: what each scenario would do to the library, in their order."),
    review_run_id: z
      .string()
      .optional()
      .describe("With `review`: the stored run of the recorded replies. Absent when no conversation has any."),
    conversations: z
      .array(TracedConversation)
      .optional()
      .describe("The conversations of a file with traces, also those that the filter left out; at most 1000."),
    warnings: z.array(Warning).optional().describe("Unknown fields, which were ignored. Absent when there are none."),
  })
  .meta({ id: "ImportAnswer" });

export const ScenarioVersions = z
  .object({ versions: z.array(z.object({ version: z.string(), created_at: z.iso.datetime() })) })
  .meta({ id: "ScenarioVersions" });

/** Body of POST /runs/{run_id}/freeze. */
export const FreezeRequest = z
  .object({
    scenario_id: z.string().min(1).max(256),
    attempt: z.int().min(1).default(1),
    id: ScenarioInput.shape.id.optional().describe("Id of the new scenario. Default: the old one with the attempt."),
    keep: z.boolean().default(false).describe("Stores the scenario in the library."),
  })
  .meta({ id: "FreezeRequest" });
export type FreezeRequest = z.infer<typeof FreezeRequest>;

export const FrozenConversation = z
  .object({
    scenario: ScenarioInput,
    kept: KeptScenarios.shape.scenarios.optional().describe("With `keep`: the stored scenario."),
    warnings: z.array(Warning).optional(),
  })
  .meta({ id: "FrozenConversation" });
export type FrozenConversation = z.infer<typeof FrozenConversation>;
