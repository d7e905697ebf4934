import { execFile } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { deepTest } from "../support/deep-test.ts";
import { runServices } from "../support/services.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { codeBlocks, root } from "./markdown.ts";

const run = promisify(execFile);
const programs = codeBlocks("docs/library.md").flatMap(({ language, text }) => (language === "ts" ? [text] : []));
const compiler = join(root, "node_modules/typescript/bin/tsc");
const entries = ["client", "vitest", "jest", "scorers", "statistics"];

/** The types of vitest 4 for our matchers; it declares `Matchers` with other parameters than vitest 5. */
const vitest4 = `
export interface Matchers<T = any> {}
export interface Assertion<T = any> extends Chai.Assertion, Matchers<T> {}
export declare const expect: { <T>(actual: T): Assertion<T>; extend(matchers: object): void };
`;

/** A project that has this repository's code installed as `rehearsal`. */
async function project() {
  const folder = await temporaryFolder();
  const installed = folder.file("node_modules/rehearsal-eval");
  await mkdir(installed, { recursive: true });
  await symlink(join(root, "src"), join(installed, "src"));
  await symlink(join(root, "node_modules/vitest"), folder.file("node_modules/vitest"));
  await symlink(join(root, "node_modules/@types"), folder.file("node_modules/@types"));
  const named = entries.map((entry) => [`./${entry}`, `./src/${entry}.ts`]);
  const exports = { ".": "./src/index.ts", ...Object.fromEntries(named) };
  await writeFile(join(installed, "package.json"), JSON.stringify({ name: "rehearsal-eval", type: "module", exports }));
  await writeFile(folder.file("package.json"), JSON.stringify({ private: true, type: "module" }));
  return folder;
}

test("every program that is shown has right types", async () => {
  await using folder = await project();
  expect(programs).toHaveLength(7);
  const files = programs.map((_, index) => `program-${index}.ts`);
  for (const [index, text] of programs.entries()) await writeFile(folder.file(`program-${index}.ts`), text);
  const request = `import type { EvaluationInput } from "rehearsal-eval";\nexport declare const request: EvaluationInput;\n`;
  await writeFile(folder.file("request.ts"), request);
  const options = { extends: join(root, "tsconfig.json"), include: [], files };
  await writeFile(folder.file("tsconfig.json"), JSON.stringify(options));
  await expect(run(process.execPath, [compiler, "-p", folder.path])).resolves.toMatchObject({ stdout: "" });
});

deepTest("the matchers have right types with vitest 4 too", async () => {
  await using folder = await project();
  await rm(folder.file("node_modules/vitest"));
  await mkdir(folder.file("node_modules/vitest"));
  await writeFile(folder.file("node_modules/vitest/index.d.ts"), vitest4);
  await writeFile(folder.file("node_modules/vitest/package.json"), `{ "type": "module", "types": "index.d.ts" }`);
  for (const name of ["zod"]) await symlink(join(root, "node_modules", name), folder.file(`node_modules/${name}`));
  const program = `import "rehearsal-eval/vitest";\nimport { expect } from "vitest";\nexpect({}).toScoreAbove(0.8);\n`;
  await writeFile(folder.file("program.ts"), program);
  const compilerOptions = { preserveSymlinks: true, types: ["chai", "node"] };
  const options = { extends: join(root, "tsconfig.json"), include: [], files: ["program.ts"], compilerOptions };
  await writeFile(folder.file("tsconfig.json"), JSON.stringify(options));
  await expect(run(process.execPath, [compiler, "-p", folder.path])).resolves.toMatchObject({ stdout: "" });
});

test("the programs that need no test runner do what they say", async () => {
  await using folder = await project();
  await using services = await runServices();
  const outputs = [];
  for (const text of programs.filter((program) => !/vitest|node:test/.test(program))) {
    const here = text.replaceAll("http://127.0.0.1:8001", services.evaluation);
    await writeFile(folder.file("program.ts"), here.replaceAll("http://127.0.0.1:8000", services.agent));
    outputs.push((await run(process.execPath, [folder.file("program.ts")])).stdout);
  }
  expect(outputs).toEqual([
    "passed 1\n",
    expect.stringMatching(/^0\.\d+ (null|0\.\d+)\n$/),
    "17 * 23 is 391.\n",
    "",
    expect.stringContaining("token_f1 0."),
  ]);
});
