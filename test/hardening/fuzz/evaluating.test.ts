import { expect, test } from "vitest";
import { auditBodies, evaluationBodies } from "./evaluation-bodies.ts";
import { fuzzRoutes, fuzzTimeout, unharmed } from "./fuzz-routes.ts";
import { startFuzzedServices } from "./fuzzed-services.ts";
import { isEvaluating } from "./is-evaluating.ts";
import { tameFor } from "./tame.ts";

test(
  "every route that takes an evaluation keeps to its document, whatever it is sent",
  { timeout: fuzzTimeout },
  async () => {
    await using services = await startFuzzedServices();
    const bodies = evaluationBodies(services.provider.url);
    const outcome = await fuzzRoutes({
      suite: "evaluating",
      base: services.evaluation,
      memory: () => services.memory(),
      covers: isEvaluating,
      learn: async () => ({
        values: { "idempotency-key": ["a", "b-1", "c d"], prefer: ["respond-async", "wait=5"] },
        tame: tameFor(services.provider.url),
        bodies: { "post /evaluate": bodies, "post /estimate": bodies, "post /judges/audit": auditBodies },
      }),
    });
    expect(outcome).toEqual(unharmed);
  },
);
