import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const run = (script: string, ...parameters: readonly string[]) =>
  execFileSync(process.execPath, [resolve(root, "scripts", script), ...parameters], { encoding: "utf8" });

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly { readonly alg: string }[];
}

test("dependencies are pinned, hashed, freely licensed and run nothing on install", () => {
  expect(JSON.parse(run("check-supply-chain.mjs"))).toMatchObject({ findings: 0 });
});

test("set-up and image run no install script but that of node", () => {
  const text = (name: string) => readFileSync(resolve(root, name), "utf8");
  for (const file of ["scripts/setup.mjs", "Dockerfile"]) {
    const installs = text(file).match(/npm(?:\(| )"?ci.*/g) ?? [];
    expect(installs.length).toBeGreaterThan(0);
    for (const line of installs) expect(line).toContain("--ignore-scripts");
  }
  expect(JSON.parse(text("package.json"))).toMatchObject({ allowScripts: { node: true } });
});

test("the list of parts names every package of the lockfile with its hash, and no host", async () => {
  await using folder = await temporaryFolder();
  run("sbom.mjs", folder.file("sbom.json"));
  const text = readFileSync(folder.file("sbom.json"), "utf8");
  const list = JSON.parse(text) as {
    bomFormat: string;
    metadata: { component: { name: string } };
    components: readonly Component[];
  };
  const lock = JSON.parse(readFileSync(resolve(root, "package-lock.json"), "utf8")) as {
    packages: Readonly<
      Record<string, { readonly name?: string; readonly version?: string; readonly inBundle?: boolean }>
    >;
  };
  const packages = Object.entries(lock.packages).filter(([path]) => path !== "");
  const nameOf = (path: string) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  // A package that stands in for several others is one part.
  const installed = packages.map(([path, { name = nameOf(path), version }]) => `${name}@${version}`);
  // A bundled package has no file, and so no hash, of its own.
  const bundled = new Set(packages.filter(([, { inBundle }]) => inBundle).map(([path]) => nameOf(path)));
  const listed = new Set(list.components.map((component) => component["bom-ref"]));
  const unhashed = list.components.filter(({ hashes }) => hashes?.[0]?.alg !== "SHA-512").map(({ name }) => name);
  expect([list.bomFormat, list.metadata.component.name]).toEqual(["CycloneDX", "rehearsal-eval"]);
  expect(installed.filter((entry) => !listed.has(entry))).toEqual([]);
  expect(unhashed.filter((name) => !bundled.has(name))).toEqual([]);
  // The second is our own repository.
  expect([...new Set(text.match(/https?:\/\/[^/"]+/g))]).toEqual(["http://cyclonedx.org", "https://github.com"]);
});

test("the page carries the licences of the packages inside it, its workers and its styles", () => {
  const notices = readFileSync(resolve(root, "web/dist/THIRD-PARTY-NOTICES.md"), "utf8");
  const page = [
    "react",
    "react-dom",
    "@radix-ui/react-dropdown-menu",
    "@tanstack/react-query",
    "@visx/shape",
    "wouter",
  ];
  for (const name of [...page, "lucide-react", "micromark", "diff", "tailwindcss"]) {
    expect(notices).toMatch(new RegExp(`^## ${name} \\d+\\.`, "m"));
  }
  expect(notices).toContain("Copyright (c) Meta Platforms, Inc. and affiliates.");
});
