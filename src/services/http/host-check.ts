import type { MiddlewareHandler } from "hono";
import { ServiceError } from "../../contract/errors.ts";
import { incomingOf, type ShellEnvironment } from "./shell-environment.ts";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Answers only for known names, so that a page which rebinds its own name to our address is not served.
 * The address a client connected to is known too: nobody can rebind an address.
 */
export function hostCheck({ allowedHosts }: { allowedHosts: readonly string[] }): MiddlewareHandler<ShellEnvironment> {
  const patterns = [...loopbackNames, ...allowedHosts];

  return async (context, next) => {
    const local = addressLiteral(incomingOf(context)?.socket.localAddress);
    const allowed = local === null ? patterns : [...patterns, local];
    // An absolute request target and the Host header may name different hosts: both count.
    for (const host of [new URL(context.req.url).host, context.req.header("host") ?? "localhost"]) {
      if (allowed.some((pattern) => matchesHost(pattern, host))) continue;
      throw new ServiceError(
        "host_not_allowed",
        `This service does not answer for ${JSON.stringify(host.slice(0, 80))}.`,
      );
    }
    await next();
  };
}

/** Whether a Host value fits a pattern: `*`, `*.name`, `name` (any port) or `name:port`. */
export function matchesHost(pattern: string, host: string): boolean {
  if (pattern === "*") return true;
  const actual = splitHost(host);
  const wanted = splitHost(pattern);
  if (actual === null || wanted === null) return false;
  if (wanted.port !== "" && wanted.port !== actual.port) return false;
  return wanted.name.startsWith("*.") ? actual.name.endsWith(wanted.name.slice(1)) : actual.name === wanted.name;
}

function splitHost(text: string): { name: string; port: string } | null {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]\s/@]+)(?::(\d{1,5}))?$/i.exec(text);
  if (match === null) return null;
  return { name: (match[1] ?? "").toLowerCase().replace(/\.$/, ""), port: match[2] ?? "" };
}

function addressLiteral(address: string | undefined): string | null {
  if (address === undefined) return null;
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  return plain.includes(":") ? `[${plain}]` : plain;
}
