import { expect, onTestFinished, test, vi } from "vitest";
import type { EvaluationInput } from "../../client/evaluation-input.ts";
import { readSettings } from "../../settings.ts";
import { noRuns } from "./local-source.ts";

test.skipIf(process.platform === "win32")("a folder for temporary files that cannot be used is named", async () => {
  vi.stubEnv("TMPDIR", "/dev/null");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { estimate } = noRuns(readSettings({}).settings, undefined);
  await expect(estimate({} as EvaluationInput)).rejects.toMatchObject({
    name: "CliError",
    message: expect.stringMatching(/^\/dev\/null cannot be written: ENOTDIR/),
  });
});
