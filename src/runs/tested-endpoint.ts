/** What a run tested, for comparing. An agent that a command starts for itself has another address each time, and is the same. */
export function testedEndpoint(endpoint: string, ownAgent: boolean): string {
  return ownAgent ? "agent" : endpoint;
}
