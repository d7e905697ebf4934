import { z } from "zod";
import {
  ImportAnswer,
  ImportRequest,
  KeptScenarios,
  LibraryList,
  LibraryQuery,
  LibraryScenario,
  ScenarioBody,
  ScenarioVersions,
} from "../schemas/library.ts";
import type { Operation } from "./operation.ts";

const scenarioParameter = { scenario_id: { description: "The scenario's id, percent-encoded." } };

/** Query of GET /scenarios/{scenario_id}. */
export const VersionQuery = z.object({
  version: z.string().optional().describe("One of GET /scenarios/{id}/versions."),
});

/** A scenario in the shape of another tool. */
const ForeignItem = z.record(z.string(), z.json());
const AdkEvalSet = z.looseObject({ eval_set_id: z.string(), eval_cases: z.array(ForeignItem) });

/** The routes of the scenario library. */
export const libraryOperations: readonly Operation[] = [
  {
    id: "listScenarios",
    method: "get",
    path: "/scenarios",
    summary: "List the library, or export it as a file",
    tag: "Scenarios",
    scope: "runs:read",
    query: LibraryQuery,
    responses: {
      200: {
        description:
          "One page as JSON. With `format` the whole library as a file: JSON (`json`, `sharegpt`, `langsmith`, `langfuse`, `deepeval`, `adk`), " +
          "JSON lines (`jsonl`, `openai-chat`, `openai-evals`, `inspect`), YAML (`yaml`, `promptfoo`) or a table (`csv`).",
        schema: z.union([LibraryList, ScenarioBody, z.array(ForeignItem), AdkEvalSet]),
        mediaTypes: ["application/json", "application/x-ndjson", "application/yaml", "text/csv"],
        headers: {
          "content-disposition": { description: "A name for the file." },
          "rehearsal-export-notes": {
            description: "What the file leaves out: JSON with `count` and the first `notes`.",
          },
        },
      },
    },
    errors: ["validation_failed"],
  },
  {
    id: "keepScenarios",
    method: "post",
    path: "/scenarios",
    summary: "Keep scenarios; the same content is the same version",
    description:
      "Many are kept a hundred at a time. After a failure, send them again: those that are there stay as they are.",
    tag: "Scenarios",
    scope: "runs:write",
    body: ScenarioBody,
    example: { id: "delivery", interactions: [{ id: "1", user_message: "How long does delivery take?" }] },
    responses: { 200: { description: "What was kept.", schema: KeptScenarios } },
    errors: ["validation_failed", "pattern_unsupported", "storage_full", "storage_unavailable"],
  },
  {
    id: "importScenarios",
    method: "post",
    path: "/scenarios/import",
    summary: "Keep the scenarios of a file in another tool's format",
    description: "Says what it could not carry over, line by line. `dry_run` stores nothing.",
    tag: "Scenarios",
    scope: "runs:write",
    body: ImportRequest,
    example: { name: "questions.csv", text: "question,answer\nHow long?,Two days.\n", dry_run: true },
    responses: { 200: { description: "What was read and kept.", schema: ImportAnswer } },
    errors: ["validation_failed", "storage_full", "storage_unavailable"],
  },
  {
    id: "removeDemoScenarios",
    method: "delete",
    path: "/scenarios",
    summary: "Remove the examples the library started with",
    tag: "Scenarios",
    scope: "runs:write",
    responses: { 204: { description: "They are gone." } },
    errors: ["storage_full"],
  },
  {
    id: "getScenario",
    method: "get",
    path: "/scenarios/{scenario_id}",
    summary: "One scenario, in its newest version or the one asked for",
    tag: "Scenarios",
    scope: "runs:read",
    parameters: scenarioParameter,
    query: VersionQuery,
    responses: { 200: { description: "The scenario.", schema: LibraryScenario } },
    errors: ["not_found"],
  },
  {
    id: "listScenarioVersions",
    method: "get",
    path: "/scenarios/{scenario_id}/versions",
    summary: "The versions of a scenario, newest first",
    tag: "Scenarios",
    scope: "runs:read",
    parameters: scenarioParameter,
    responses: { 200: { description: "The versions.", schema: ScenarioVersions } },
    errors: ["not_found"],
  },
  {
    id: "removeScenario",
    method: "delete",
    path: "/scenarios/{scenario_id}",
    summary: "Remove a scenario with all its versions",
    tag: "Scenarios",
    scope: "runs:write",
    parameters: scenarioParameter,
    responses: { 204: { description: "It is gone." } },
    errors: ["not_found", "storage_full"],
  },
];
