import { z } from "zod";
import { Warning } from "./problem.ts";
import { Scenario, ScenarioInput } from "./scenario.ts";

/** A scenario of the library. Its version is a hash of its content: the same content is the same version. */
export const LibraryScenario = z
  .object({
    scenario: Scenario,
    version: z.string(),
    created_at: z.iso.datetime().describe("When this version was stored."),
    demo: z.boolean().describe("True for the examples a new library starts with."),
  })
  .meta({ id: "LibraryScenario" });
export type LibraryScenario = z.infer<typeof LibraryScenario>;

/** One line of the library's list: the newest version of each scenario. */
export const LibraryEntry = z
  .object({
    id: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    interactions: z.int().min(1),
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
    id: z.string().max(256).optional().describe("Only the scenario with this id: a list of one, or of none."),
    search: z.string().max(200).optional().describe("Words in the id, the description or a tag."),
    tag: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: z.string().max(2000).optional(),
    format: z
      .enum([
        "json",
        "jsonl",
        "yaml",
        "csv",
        "openai-chat",
        "sharegpt",
        "promptfoo",
        "inspect",
        "langsmith",
        "langfuse",
        "openai-evals",
        "deepeval",
        "adk",
      ])
      .optional()
      .describe("Answers with the whole library as a file of this format instead of a page of the list."),
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
        created: z.boolean().describe("False when this very content was there already."),
        duplicate_of: z.string().optional().describe("Another scenario with the same turns."),
      }),
    ),
    warnings: z.array(Warning).optional().describe("Unknown fields, which are not kept. Absent where there are none."),
  })
  .meta({ id: "KeptScenarios" });

/** Body of POST /scenarios/import. */
export const ImportRequest = z
  .object({
    text: z.string().describe("The content of the file. Refused when it takes more than 20 seconds to read."),
    name: z.string().max(1024).optional().describe("Its name, as a hint for the format."),
    format: z.string().max(40).default("auto"),
    mapping: z.string().max(2000).optional().describe("Columns of a table: user=question,reference=answer."),
    dry_run: z.boolean().default(false).describe("Only say what would be stored."),
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
          .enum(["dropped", "changed", "unusable"])
          .describe("Left out; there in another form; or there, but nothing that a run takes."),
        line: z.int().optional(),
        pointer: z.string().optional(),
        message: z.string(),
      }),
    ),
    kept: KeptScenarios.shape.scenarios,
    warnings: z.array(Warning).optional().describe("Unknown fields, which were ignored. Absent where there are none."),
  })
  .meta({ id: "ImportAnswer" });

export const ScenarioVersions = z
  .object({ versions: z.array(z.object({ version: z.string(), created_at: z.iso.datetime() })) })
  .meta({ id: "ScenarioVersions" });
