// Loaded into a measured service with `--import`: tells how late its event loop was between "start" and "stop".
import { monitorEventLoopDelay } from "node:perf_hooks";

const resolution = 5;
const delay = monitorEventLoopDelay({ resolution });

process.on("message", (message) => {
  if (message === "start") {
    delay.enable();
    delay.reset();
    process.send("started");
  } else {
    delay.disable();
    // Node counts its own waiting time in: what is left above it is the delay.
    process.send({ p99: Math.max(0, delay.percentile(99) / 1e6 - resolution), longest: delay.max / 1e6 - resolution });
  }
});
process.channel?.unref();
