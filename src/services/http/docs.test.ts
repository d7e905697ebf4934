import { expect, test } from "vitest";
import { evaluationRoutes } from "../../services/evaluation/app.ts";
import type { EvaluationDependencies } from "../evaluation/dependencies.ts";
import { testShell } from "../../../test/support/test-shell.ts";

const app = testShell();
for (const route of evaluationRoutes) app.mount(route, {} as EvaluationDependencies);

test("serves the OpenAPI document as JSON", async () => {
  const response = await app.request("/openapi.json");
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toMatchObject({ openapi: "3.1.0", paths: { "/evaluate": {} } });
});

test("serves every script and style as a file, as the strict policy requires", async () => {
  const response = await app.request("/docs");
  expect(response.headers.get("content-security-policy")).toContain("script-src 'self'");
  const html = await response.text();
  expect(html).not.toMatch(/<script>|<style|style=|https?:\/\//);
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file ?? "");
  expect(files).toContain("docs/swagger-ui-bundle.js");
  for (const file of files) {
    const asset = await app.request(new URL(file, "http://localhost/docs").pathname);
    expect([file, asset.status]).toEqual([file, 200]);
    expect(asset.headers.get("content-type")).toMatch(/^(text\/css|text\/javascript|application\/json)/);
  }
});

test.each(["/docs/swagger-ui.js.map", "/docs/swagger-ui-..%2f..%2fpackage.json", "/docs/package.json"])(
  "does not serve %s",
  async (path) => {
    expect((await app.request(path)).status).toBe(404);
  },
);
