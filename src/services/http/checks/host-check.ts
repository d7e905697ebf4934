import type { IncomingMessage } from "node:http";
import type { Context } from "hono";
import { ServiceError } from "../../../contract/errors.ts";
import { incomingOf } from "../shell-environment.ts";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

export interface HostCheck {
  /** Throws when the service does not answer for the host that was asked for. */
  check(context: Context): void;
  /** Whether the Host of this request is the one that passed last: for requests whose target names no other. */
  passedLast(incoming: IncomingMessage): boolean;
}

/**
 * Answers only for known names, so that a page which rebinds its own name to our address is not served.
 * The address a client connected to is known too: nobody can rebind an address.
 */
export function createHostCheck({ allowedHosts }: { allowedHosts: readonly string[] }): HostCheck {
  const patterns = [...loopbackNames, ...allowedHosts];
  // Nearly every request names the same host: what passed last passes again without another look.
  let passed = { host: "", local: "", address: "-" };

  function check(context: Context): void {
    const local = incomingOf(context)?.socket.localAddress ?? "";
    const { url } = context.req;
    const sent = context.req.header("host") ?? "localhost";
    if (sent === passed.host && local === passed.local && url.startsWith(passed.address)) return;

    // An absolute request target and the Host header may name different hosts: both count.
    const target = targetHost(url);
    const allowed = local === "" ? patterns : [...patterns, addressLiteral(local)];
    for (const host of [target, sent]) {
      if (allowed.some((pattern) => matchesHost(pattern, host))) continue;
      throw new ServiceError(
        "host_not_allowed",
        `This service does not answer for ${JSON.stringify(host.slice(0, 80))}.`,
      );
    }
    passed = { host: sent, local, address: `${url.slice(0, url.indexOf("://"))}://${target}/` };
  }

  return {
    check,
    passedLast: ({ headers, socket }) => headers.host === passed.host && socket.localAddress === passed.local,
  };
}

/** The host of an address that was normalised already, read off the text; user names make it a case for the parser. */
export function targetHost(url: string): string {
  const start = url.indexOf("://") + 3;
  const host = url.slice(start, url.indexOf("/", start));
  return host.includes("@") || start === 2 ? new URL(url).host : host;
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

function addressLiteral(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, "");
  return plain.includes(":") ? `[${plain}]` : plain;
}
