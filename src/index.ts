/** `rehearsal`: the configuration's helper and the clients. Scorers, statistics and matchers have entries of their own. */
export * from "./client.ts";
export { defineConfig, type ConfigInput } from "./cli/config/define-config.ts";
