import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { requireNear } from "./named-file-check.ts";

test("only files below the folder are near, and a link is the file that it leads to", async () => {
  await using outer = await temporaryFolder();
  await mkdir(outer.file("own/deep"), { recursive: true });
  await mkdir(outer.file("own-neighbour"));
  for (const name of ["secret.json", "own/deep/a.json", "own/..b.json", "own-neighbour/c.json"]) {
    await writeFile(outer.file(name), "{}");
  }
  await symlink(outer.file("own"), outer.file("linked"));
  await symlink(outer.file("secret.json"), outer.file("own/link.json"));
  await symlink(outer.path, outer.file("own/up"));
  for (const folder of [outer.file("own"), outer.file("linked")]) {
    const attempt = (path: string) => () => requireNear(path, { by: "s.yaml", folder });
    for (const near of ["deep/a.json", "..b.json", "./deep/../..b.json", "gone.json", "gone/gone.json"]) {
      expect(attempt(near)).not.toThrow();
    }
    const far = ["../secret.json", "../gone.json", "../own-neighbour/c.json", "link.json", "up/secret.json", "up/gone"];
    for (const path of [...far, outer.file("secret.json"), "/etc/passwd", join("deep", "..", "..", "secret.json")]) {
      expect(attempt(path)).toThrow(`s.yaml names ${path}, which is outside its folder`);
    }
    expect(attempt(outer.file("own/deep/a.json"))).not.toThrow();
  }
});
