import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { parse } from "yaml";
import { deepTest } from "../support/deep-test.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// The schemas come from PyPI and npm at the time of the test: together they are larger than this repository.
const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

deepTest("the Kubernetes manifests are valid, without unknown fields", async () => {
  await using folder = await temporaryFolder();
  await run("python3", ["-m", "pip", "install", "--quiet", "--target", folder.path, "kubernetes-validate==1.37.0"]);
  const files = globSync("deploy/kubernetes/*.yaml", { cwd: root }).filter(
    (file) => !file.endsWith("kustomization.yaml"),
  );
  const { stdout, stderr } = await run("python3", [folder.file("bin/kubernetes-validate"), "--strict", ...files], {
    cwd: root,
    env: { ...process.env, PYTHONPATH: folder.path },
  });
  expect(`${stdout}${stderr}`.match(/ passed /g)).toHaveLength(4);
});

deepTest("the composition is valid by the Compose specification", async () => {
  await using folder = await temporaryFolder();
  const wheel = "check-jsonschema==0.39.0";
  await run("python3", ["-m", "pip", "download", "--quiet", "--no-deps", "-d", folder.path, wheel]);
  await run("python3", ["-m", "zipfile", "-e", ...globSync("*.whl", { cwd: folder.path }), "."], { cwd: folder.path });
  const schemaFile = folder.file("check_jsonschema/builtin_schemas/vendor/compose-spec.json");
  const schema = JSON.parse(readFileSync(schemaFile, "utf8")) as object;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.validate(schema, parse(read("compose.yaml"), { merge: true }));
  expect(ajv.errors ?? []).toEqual([]);
});

deepTest("the Grafana dashboard has the shape of Grafana's own types", async () => {
  await using folder = await temporaryFolder();
  const dashboard = read("deploy/grafana/rehearsal.json");
  await writeFile(folder.file("package.json"), '{ "type": "module" }');
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "@grafana/schema@13.2.3"], {
    cwd: folder.path,
  });
  const source = `import type { Dashboard } from "@grafana/schema";\nexport const dashboard: Dashboard = ${dashboard};\n`;
  await writeFile(folder.file("dashboard.ts"), source);
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2024"];
  await run(join(root, "node_modules/.bin/tsc"), [...options, "dashboard.ts"], { cwd: folder.path });
});
