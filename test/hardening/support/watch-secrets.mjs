// Loaded into a service with `--import`: keeps every span as text, and crashes the process on request.
import { appendFileSync } from "node:fs";
import { ROOT_CONTEXT, SpanStatusCode, trace } from "@opentelemetry/api";

const file = process.env.HARDENING_SPANS;

class RecordedSpan {
  constructor(name, options) {
    this.record("start", { name, ...options });
  }
  record(what, value) {
    appendFileSync(file, `${JSON.stringify({ what, value, failed: SpanStatusCode.ERROR })}\n`);
    return this;
  }
  spanContext = () => ({ traceId: "1".repeat(32), spanId: "1".repeat(16), traceFlags: 1 });
  setAttribute = (name, value) => this.record("attribute", { [name]: value });
  setAttributes = (attributes) => this.record("attributes", attributes);
  addEvent = (name, attributes) => this.record("event", { name, attributes });
  addLink = (link) => this.record("link", link);
  addLinks = (links) => this.record("links", links);
  setStatus = (status) => this.record("status", status);
  updateName = (name) => this.record("name", name);
  recordException = (error) => this.record("exception", { message: error?.message, stack: error?.stack, error });
  end = () => void this.record("end");
  isRecording = () => true;
}

const tracer = {
  startSpan: (name, options) => new RecordedSpan(name, options),
  startActiveSpan: (name, ...rest) => rest.at(-1)(new RecordedSpan(name, rest[0])),
};
trace.setGlobalTracerProvider({ getTracer: () => tracer });
trace.setSpan(ROOT_CONTEXT, tracer.startSpan("loaded"));

process.on("message", () => {
  throw new Error("crashed on purpose");
});
process.channel?.unref();
