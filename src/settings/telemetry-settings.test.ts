import { expect, test } from "vitest";
import { readTelemetrySettings } from "./telemetry-settings.ts";

const otlp = (variables: Readonly<Record<string, string>>) => readTelemetrySettings(variables).otlp;
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/otel/" };

test("uses one address for all signals unless a signal has its own", () => {
  expect(otlp({})).toBeNull();
  expect(otlp(endpoint)).toMatchObject({
    traces: "http://collector:4318/otel/v1/traces",
    logs: "http://collector:4318/otel/v1/logs",
  });
  expect(otlp({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/otel?tenant=a" })?.traces).toBe(
    "http://collector:4318/otel/v1/traces?tenant=a",
  );
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://tempo:4318/custom" };
  expect(otlp({ ...endpoint, ...own })).toMatchObject({
    traces: "http://tempo:4318/custom",
    logs: "http://collector:4318/otel/v1/logs",
  });
  expect(otlp(own)).toMatchObject({ traces: "http://tempo:4318/custom", logs: null });
});

test("reads resource attributes; OTEL_SERVICE_NAME outranks them", () => {
  const attributes = { OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=ci, team=a%20b,service.name=theirs" };
  const given = { "deployment.environment": "ci", team: "a b" };
  expect(otlp(endpoint)?.resource).toEqual({ "service.name": "rehearsal" });
  expect(otlp({ ...endpoint, ...attributes })?.resource).toEqual({ ...given, "service.name": "theirs" });
  expect(otlp({ ...endpoint, ...attributes, OTEL_SERVICE_NAME: "mine" })?.resource).toEqual({
    ...given,
    "service.name": "mine",
  });
  expect(() => otlp({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES: "team" })).toThrow("OTEL_RESOURCE_ATTRIBUTES");
});

test("reads OTEL_SDK_DISABLED", () => {
  expect(otlp(endpoint)?.isDisabled).toBe(false);
  expect(otlp({ ...endpoint, OTEL_SDK_DISABLED: "True" })?.isDisabled).toBe(true);
});
