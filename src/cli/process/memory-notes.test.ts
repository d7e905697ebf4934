import { spawnSync } from "node:child_process";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { leaveMemoryNote, readMemoryNotes } from "./memory-notes.ts";

const worker = "host/boot:12:0e37df36-f698-11e6-8dd4-cb9ced3df976";
const notes = fileURLToPath(new URL("memory-notes.ts", import.meta.url));

/** A process that leaves notes, and what then becomes of it. */
function die(folder: string, how: string): NodeJS.Signals | null {
  const script = `import { leaveMemoryNote } from ${JSON.stringify(notes)};
    leaveMemoryNote(${JSON.stringify({ folder, worker })}); ${how}`;
  const options = [
    "--max-old-space-size=30",
    "--report-exclude-env",
    "--input-type=module-typescript",
    "--eval",
    script,
  ];
  return spawnSync(process.execPath, options, { env: { API_KEY: "a secret" }, timeout: 60_000 }).signal;
}

test("a process that runs out of memory leaves a note without secrets", async () => {
  await using folder = await temporaryFolder();
  expect(die(folder.path, "const all = []; for (;;) all.push({ all: [all.length] });")).toBe("SIGABRT");
  const brokeDown = readMemoryNotes(folder.path);
  expect(brokeDown(worker)).toBe(true);
  expect(brokeDown("host/boot:12:another")).toBe(false);
  const [note = ""] = await readdir(folder.path);
  expect(await readFile(folder.file(note), "utf8")).not.toContain("a secret");
});

test("a process that is killed or throws leaves no note", async () => {
  await using folder = await temporaryFolder();
  for (const how of ["process.kill(process.pid, 'SIGKILL');", "process.abort();", "throw new Error('broken');"]) {
    die(folder.path, how);
    expect(readMemoryNotes(folder.path)(worker)).toBe(false);
  }
});

test("removes old notes, and writes none when the operator has reports or the environment would be included", async () => {
  await using folder = await temporaryFolder();
  const old = folder.file("out-of-memory-0e37df36-f698-11e6-8dd4-cb9ced3df976.json");
  await writeFile(old, "{}");
  await utimes(old, 0, 0);
  const report = {
    reportOnFatalError: true,
    reportOnSignal: false,
    reportOnUncaughtException: false,
    excludeEnv: true,
  };
  leaveMemoryNote({ folder: folder.path, worker }, { report: report as NodeJS.ProcessReport });
  expect(report).not.toHaveProperty("filename");
  Object.assign(report, { reportOnFatalError: false, excludeEnv: false });
  leaveMemoryNote({ folder: folder.path, worker }, { report: report as NodeJS.ProcessReport });
  expect(report.reportOnFatalError).toBe(false);
  report.excludeEnv = true;
  leaveMemoryNote({ folder: folder.path, worker }, { report: report as NodeJS.ProcessReport });
  expect(report).toMatchObject({ reportOnFatalError: true, directory: folder.path });
  expect(await readdir(folder.path)).toEqual([]);
});
