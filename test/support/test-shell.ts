import type { Context } from "hono";
import type { RouteDeclaration } from "../../src/contract/operations/operation.ts";
import { healthRoute, readinessRoute, type HealthParts } from "../../src/services/http/health.ts";
import { createLog } from "../../src/services/http/log.ts";
import { defineRoute } from "../../src/services/http/route.ts";
import { createShell, type Shell, type ShellOptions } from "../../src/services/http/shell.ts";
import type { ShellEnvironment } from "../../src/services/http/environment/shell-environment.ts";

type Answer = (context: Context<ShellEnvironment>) => Response | Promise<Response>;

interface TestShell extends Shell {
  /** Sends a request to the shell, without a server unless `environment` has its parts. */
  request(address: string, init?: RequestInit, environment?: object): Promise<Response>;
  /** Adds a route at an address such as `GET /things/{id}`. Without configured keys, any request has its scope. */
  on(address: string, answer: Answer, more?: Partial<RouteDeclaration>): void;
}

/** A quiet shell with health routes, with what a test wants to be different. */
export function testShell(options: Partial<ShellOptions & HealthParts> = {}): TestShell {
  const log = createLog({ level: "silent" });
  const bodyLimits = { bytes: 1_000, depth: 8, keys: 8 };
  const { readiness = async () => {}, readinessTimeoutMs = 5_000, ...shellOptions } = options;
  const shell = createShell({
    title: "Test",
    version: "9.9.9",
    description: "A test",
    log,
    bodyLimits,
    ...shellOptions,
  });
  for (const route of [healthRoute, readinessRoute]) shell.mount(route, { readiness, readinessTimeoutMs });
  return {
    ...shell,
    request: (address, init, environment) => send(shell, address, init, environment),
    on(address, answer, more) {
      const declared = { scope: "runs:read" as const, ...more, address };
      shell.mount(
        defineRoute(
          declared,
          () =>
            ({ context }) =>
              answer(context),
        ),
        undefined,
      );
    },
  };
}

/** Sends a request to a service without a server. */
export async function send(
  { fetch }: Pick<Shell, "fetch">,
  address: string,
  init: RequestInit = {},
  environment: object = {},
): Promise<Response> {
  return fetch(new Request(new URL(address, "http://localhost"), init), environment);
}
