import { ownCommand } from "../next-command.ts";
import { prepareSending, type Destination } from "../telemetry/destinations.ts";
import { note } from "../terminal/output.ts";
import type { Reporter } from "./reporter.ts";

/** Sends the results elsewhere. What cannot be sent is said and does not change how the run counts: the results are kept. */
export function destinationReporter(destination: Destination): Reporter {
  const send = prepareSending(destination);
  return {
    async onEnd({ response }) {
      try {
        await send(response);
        note(`sent to ${destination}`);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        note(`rehearsal: ${reason} (again: ${ownCommand("report", response.run_id, "--send", destination)})`);
      }
    },
  };
}
