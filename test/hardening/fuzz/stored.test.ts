import { expect, test } from "vitest";
import { send } from "../../support/http.ts";
import { fuzzRoutes, fuzzTimeout, unharmed } from "./fuzz-routes.ts";
import { startFuzzedServices } from "./fuzzed-services.ts";
import { importBodies } from "./import-files.ts";
import { isEvaluating } from "./is-evaluating.ts";
import { tameFor } from "./tame.ts";

const unknownRun = "0190f0a0-0000-7000-8000-000000000000";

test(
  "every route about runs and scenarios keeps to its document, whatever it is sent",
  { timeout: fuzzTimeout },
  async () => {
    await using services = await startFuzzedServices();
    const outcome = await fuzzRoutes({
      suite: "runs and scenarios",
      base: services.evaluation,
      memory: () => services.memory(),
      covers: (path) => !isEvaluating(path),
      async learn() {
        const runs = await Promise.all([services.startRun(), services.startRun(), services.startRun()]);
        const interactions = [{ id: "1", user_message: "Hi" }];
        await send(`${services.evaluation}/scenarios`, { body: { id: "kept", interactions } });
        return {
          values: {
            run_id: [...runs, unknownRun],
            baseline: runs,
            candidate: runs,
            runs: [runs.join(","), ...runs],
            scenario_id: ["kept", "unknown", "a/b"],
            "last-event-id": ["0", "1"],
          },
          tame: tameFor(services.provider.url),
          bodies: { "post /scenarios/import": importBodies },
        };
      },
    });
    expect(outcome).toEqual(unharmed);
  },
);
