import type { IncomingMessage } from "node:http";
import type { Context } from "hono";
import { ServiceError } from "../../../contract/errors/errors.ts";
import { incomingOf } from "../environment/shell-environment.ts";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

export interface HostCheck {
  /** Throws when the requested host is not one of the service's names. */
  check(context: Context): void;
  /** True if the Host header equals the last one that passed: for requests with a relative target. */
  passedLast(incoming: IncomingMessage): boolean;
}

/**
 * Accepts only known host names, against DNS rebinding: a page that points its own name at our address is refused. The address that the
 * client connected to is accepted too, since an address cannot be rebound.
 */
export function createHostCheck({ allowedHosts }: { allowedHosts: readonly string[] }): HostCheck {
  const patterns = [...loopbackNames, ...allowedHosts];
  // Nearly every request names the same host, so the last one that passed is accepted without another check.
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

/** The host of a normalised URL, cut from the text; only a URL with a user name needs the parser. */
export function targetHost(url: string): string {
  const start = url.indexOf("://") + 3;
  const host = url.slice(start, url.indexOf("/", start));
  return host.includes("@") || start === 2 ? new URL(url).host : host;
}

/** True if a Host value matches a pattern: `*`, `*.name`, `name` (any port) or `name:port`. */
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
