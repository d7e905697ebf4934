import { expect, onTestFinished, test, vi } from "vitest";
import type { EvaluationInput } from "../../client/evaluation-client.ts";
import { readSettings } from "../../settings.ts";
import { noRuns } from "./local-source.ts";

test.skipIf(process.platform === "win32")("names an unusable folder for temporary files", async () => {
  vi.stubEnv("TMPDIR", "/dev/null");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { estimate } = noRuns(readSettings({}).settings, undefined);
  await expect(estimate({} as EvaluationInput)).rejects.toMatchObject({
    name: "CliError",
    message: expect.stringMatching(/^\/dev\/null cannot be written: ENOTDIR/),
  });
});
