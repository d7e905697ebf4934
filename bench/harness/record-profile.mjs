// Loaded into a profiled service with `--import`: records its processor time between "start" and "stop", start-up left out.
import { Session } from "node:inspector/promises";

const session = new Session();
session.connect();

process.on("message", async (message) => {
  if (message === "start") {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    process.send("started");
  } else {
    const { profile } = await session.post("Profiler.stop");
    process.send(profile);
  }
});
process.channel?.unref();
