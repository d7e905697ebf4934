/** The environment of every service in a test: free ports, and no refusal because the machine is busy. */
export const serviceEnvironment = {
  PATH: process.env["PATH"] ?? "",
  REHEARSAL_AGENT_PORT: "0",
  REHEARSAL_EVAL_PORT: "0",
  REHEARSAL_SHED_EVENT_LOOP_LAG_MS: "60000",
};
