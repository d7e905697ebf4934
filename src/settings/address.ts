import { quoted, SettingsError } from "./settings-error.ts";

/** Parses an http(s) address without user info and fragment. */
export function parseHostAddress(name: string, text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new SettingsError(name, `is ${quoted(text)}: use an absolute http or https URL`);
  }
  // The error does not repeat the value: it may hold a password.
  if (url.username !== "" || url.password !== "")
    throw new SettingsError(name, "holds user info: keep keys in their own variable");
  if (url.hash !== "") throw new SettingsError(name, `is ${quoted(text)}: leave out the fragment`);
  // A wildcard is a valid host name to the URL parser, but would never match.
  if (url.hostname.includes("*")) {
    throw new SettingsError(name, `holds ${quoted(text)}: there are no wildcards, write out each host`);
  }
  return url;
}

/** Parses a base URL and drops the trailing slash, so that paths can be appended. */
export function parseBaseUrl(name: string, text: string): string {
  const url = parseHostAddress(name, text);
  if (url.search !== "") throw new SettingsError(name, `is ${quoted(text)}: leave out the query`);
  return url.href.replace(/(?<!\/)\/+$/, "");
}

/** Parses an address of scheme, host and port alone. */
export function parseOrigin(name: string, text: string): string {
  const url = parseHostAddress(name, text);
  if (url.pathname !== "/" || url.search !== "") {
    throw new SettingsError(name, `holds ${quoted(text)}: use the origin alone, ${url.origin}`);
  }
  return url.origin;
}

/** True for names and addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}
