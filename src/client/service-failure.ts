import type { Problem } from "../contract/schemas/problem.ts";

/** The service answered with a problem (RFC 9457): `problem.code` says which, `problem.hint` what to do. */
export class ServiceFailure extends Error {
  override readonly name = "ServiceFailure";
  readonly status: number;
  readonly problem: Problem | null;

  constructor(status: number, problem: Problem | null, words?: string) {
    super(problem?.detail ?? words ?? `The service answered with status ${status} and no explanation.`);
    this.status = status;
    this.problem = problem;
  }
}

/** No answer came: nothing listens there, or the connection broke. */
export class ServiceUnreachable extends Error {
  override readonly name = "ServiceUnreachable";

  constructor(
    url: string,
    { message = `Nothing answers at ${url}`, ...options }: ErrorOptions & { message?: string } = {},
  ) {
    super(message, options);
  }
}
