import {
  ImportAnswer,
  ImportRequest,
  KeptScenarios,
  LibraryQuery,
  ScenarioBody,
  ScenarioVersions,
} from "../library-requests.ts";
import { LibraryList, LibraryScenario } from "../library.ts";
import type { Operation } from "../operation.ts";

const scenarioParameter = { scenario_id: { description: "The scenario's id, percent-encoded." } };

/** The routes of the scenario library. */
export const libraryOperations: readonly Operation[] = [
  {
    id: "listScenarios",
    method: "get",
    path: "/scenarios",
    summary: "List the library, or export it as a file",
    tag: "Scenarios",
    query: LibraryQuery,
    responses: { 200: { description: "One page, or the file.", schema: LibraryList } },
    errors: ["validation_failed"],
  },
  {
    id: "keepScenarios",
    method: "post",
    path: "/scenarios",
    summary: "Keep scenarios; the same content is the same version",
    tag: "Scenarios",
    body: ScenarioBody,
    responses: { 200: { description: "What was kept.", schema: KeptScenarios } },
    errors: ["validation_failed", "storage_full", "storage_unavailable"],
  },
  {
    id: "importScenarios",
    method: "post",
    path: "/scenarios/import",
    summary: "Keep the scenarios of a file in another tool's format",
    description: "Says what it could not carry over, line by line. `dry_run` stores nothing.",
    tag: "Scenarios",
    body: ImportRequest,
    responses: { 200: { description: "What was read and kept.", schema: ImportAnswer } },
    errors: ["validation_failed", "storage_full", "storage_unavailable"],
  },
  {
    id: "removeDemoScenarios",
    method: "delete",
    path: "/scenarios",
    summary: "Remove the examples the library started with",
    tag: "Scenarios",
    responses: { 204: { description: "They are gone." } },
    errors: [],
  },
  {
    id: "getScenario",
    method: "get",
    path: "/scenarios/{scenario_id}",
    summary: "One scenario, in its newest version or the one asked for with ?version=",
    tag: "Scenarios",
    parameters: scenarioParameter,
    responses: { 200: { description: "The scenario.", schema: LibraryScenario } },
    errors: ["not_found"],
  },
  {
    id: "listScenarioVersions",
    method: "get",
    path: "/scenarios/{scenario_id}/versions",
    summary: "The versions of a scenario, newest first",
    tag: "Scenarios",
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
    parameters: scenarioParameter,
    responses: { 204: { description: "It is gone." } },
    errors: ["not_found"],
  },
];
