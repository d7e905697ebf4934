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
import { defineOperation } from "./operation.ts";

const scenarioParameter = { scenario_id: { description: "The scenario's id, percent-encoded." } };

/** Query of GET /scenarios/{scenario_id}. */
export const VersionQuery = z.object({
  version: z.string().optional().describe("A version from GET /scenarios/{id}/versions. Default: the newest."),
});

/** A scenario in the format of another tool. */
const ForeignItem = z.record(z.string(), z.json());

export const listScenarios = defineOperation("listScenarios", {
  summary: "List the library, or export it as a file",
  tag: "Scenarios",
  scope: "runs:read",
  query: LibraryQuery,
  responses: {
    200: {
      description: "One page as JSON. With `format`, the whole library as a file.",
      schema: z.union([LibraryList, ScenarioBody, z.array(ForeignItem)]),
      mediaTypes: ["application/json", "application/x-ndjson", "application/yaml", "text/csv"],
      headers: {
        "content-disposition": { description: "Suggested name of the file." },
        "rehearsal-export-notes": {
          description: "Information lost in the file, as JSON with `count` and the first `notes`.",
        },
      },
    },
  },
  errors: ["validation_failed"],
});

export const keepScenarios = defineOperation("keepScenarios", {
  summary: "Store scenarios; unchanged content keeps its version",
  description:
    "Stores a hundred scenarios per transaction. After a failure, send the request again: stored scenarios stay unchanged.",
  tag: "Scenarios",
  scope: "runs:write",
  body: ScenarioBody,
  example: { id: "delivery", interactions: [{ id: "1", user_message: "How long does delivery take?" }] },
  responses: { 200: { description: "The stored scenarios.", schema: KeptScenarios } },
  errors: ["validation_failed", "pattern_unsupported", "storage_full", "storage_unavailable"],
});

export const importScenarios = defineOperation("importScenarios", {
  summary: "Import scenarios from another tool's file",
  description: "Reports by line what it could not convert. `dry_run` stores nothing.",
  tag: "Scenarios",
  scope: "runs:write",
  body: ImportRequest,
  example: { name: "questions.csv", text: "question,answer\nHow long?,Two days.\n", dry_run: true },
  responses: { 200: { description: "The parsed and stored scenarios.", schema: ImportAnswer } },
  errors: ["validation_failed", "storage_full", "storage_unavailable"],
});

export const removeDemoScenarios = defineOperation("removeDemoScenarios", {
  summary: "Remove the examples of a new library",
  tag: "Scenarios",
  scope: "runs:write",
  responses: { 204: { description: "Removed." } },
  errors: ["storage_full"],
});

export const getScenario = defineOperation("getScenario", {
  summary: "Get one scenario, in its newest or a given version",
  tag: "Scenarios",
  scope: "runs:read",
  parameters: scenarioParameter,
  query: VersionQuery,
  responses: { 200: { description: "The scenario.", schema: LibraryScenario } },
  errors: ["not_found"],
});

export const listScenarioVersions = defineOperation("listScenarioVersions", {
  summary: "List the versions of a scenario, newest first",
  tag: "Scenarios",
  scope: "runs:read",
  parameters: scenarioParameter,
  responses: { 200: { description: "The versions.", schema: ScenarioVersions } },
  errors: ["not_found"],
});

export const removeScenario = defineOperation("removeScenario", {
  summary: "Remove a scenario with all its versions",
  tag: "Scenarios",
  scope: "runs:write",
  parameters: scenarioParameter,
  responses: { 204: { description: "Removed." } },
  errors: ["not_found", "storage_full"],
});
