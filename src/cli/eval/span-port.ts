import { isProtocolOf } from "../../contract/protocols/protocols.ts";
import { isLocalTarget, spanSettings } from "../../contract/schemas/acting/target.ts";
import { ownAgent } from "../options/addresses.ts";
import type { EvalOptions } from "../options/eval-options.ts";
import type { Session } from "../sources/open-session.ts";
import { CliError } from "../terminal/cli-error.ts";
import { note } from "../terminal/output.ts";
import type { EvalSettings } from "./eval-settings.ts";

/** Exporters send there when they are told nothing. */
const defaultPort = 4318;

interface SpanPort {
  /** Undefined: no spans are received. */
  readonly port: number | undefined;
  /** True when the run needs it: the command fails if the port is in use. */
  readonly isNeeded: boolean;
  /** True when the agent is started by someone who has to know the address. */
  readonly isTold: boolean;
}

/** Whether a command receives spans, and where: for agents behind an address, and wherever it is asked for. */
export function chooseSpanPort(
  { config, target }: EvalSettings,
  { otelPort }: Pick<EvalOptions, "otelPort">,
): SpanPort {
  if (otelPort === false) return { port: undefined, isNeeded: false, isTold: false };
  const { areDeclared } = spanSettings({ target: target?.target, spans: config.spans });
  const isNeeded = areDeclared || otelPort !== undefined;
  const isAgent = target
    ? !isLocalTarget(target.target)
    : config.endpoint !== undefined &&
      config.endpoint !== ownAgent &&
      isProtocolOf(config.protocol ?? "openai-chat", "agent", "backend", "template");
  return { port: isAgent || isNeeded ? (otelPort ?? defaultPort) : undefined, isNeeded, isTold: isAgent || isNeeded };
}

/** Says once where the agent has to send its spans, or why none are received. */
export function tellSpanPort({ otelEndpoint, outlivesUs }: Session, { port, isNeeded, isTold }: SpanPort): void {
  if (port === undefined || !isTold) return;
  if (otelEndpoint !== null) {
    if (!outlivesUs || isNeeded) note(`Spans of the agent are received: OTEL_EXPORTER_OTLP_ENDPOINT=${otelEndpoint}`);
    return;
  }
  const reason = `the port ${port} is in use`;
  if (isNeeded) throw new CliError(`no spans can be received: ${reason}; name another one with --otel`);
  note(`No spans of the agent are received: ${reason} (--otel names another one).`);
}
