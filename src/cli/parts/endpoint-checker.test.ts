import { expect, test } from "vitest";
import type { ServiceError } from "../../contract/errors.ts";
import { createOutbound } from "../../models/outbound/create-outbound.ts";
import { endpointChecker } from "./endpoint-checker.ts";

test.each([
  ["http://me:hunter2@127.0.0.1/v1", "http://[redacted]@127.0.0.1/v1"],
  ["http://hunter2@127.0.0.1/v1", "http://[redacted]@127.0.0.1/v1"],
  ["http://me:hun/ter2@127.0.0.1/v1", "http://[redacted]@127.0.0.1/v1"],
  ["me:hunter2@127.0.0.1/v1", "[redacted]@127.0.0.1/v1"],
  ["http://169.254.169.254/v1?api_key=hunter2", "http://169.254.169.254/v1?api_key=[redacted]"],
  [`ftp://127.0.0.1/${"a".repeat(100)}`, `ftp://127.0.0.1/${"a".repeat(64)}…`],
])("what is wrong with %s is told without a password", async (endpoint, received) => {
  await using outbound = createOutbound();
  expect(refusal(() => endpointChecker(outbound)({ pointer: "/endpoint", endpoint })).errors).toMatchObject([
    { pointer: "/endpoint", received },
  ]);
});

function refusal(check: () => void): ServiceError {
  try {
    check();
  } catch (error) {
    return error as ServiceError;
  }
  throw new Error("It was not refused.");
}
