interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly secure: boolean;
}

const mostCookies = 50;
const longestCookie = 4_096;

/** The cookies of one conversation. They are sent only to the host that set them, as if none had a domain. */
export class CookieJar {
  readonly #hosts = new Map<string, Map<string, Cookie>>();

  /** Keeps the cookies of an answer. */
  keep(address: string, setCookie: string | readonly string[] | undefined): void {
    const url = URL.parse(address);
    if (!url || setCookie === undefined) return;
    const cookies = this.#hosts.get(url.host) ?? new Map<string, Cookie>();
    this.#hosts.set(url.host, cookies);
    for (const line of [setCookie].flat()) {
      const parsed = line.length > longestCookie ? null : parseCookie(line, url);
      if (!parsed) continue;
      const key = `${parsed.cookie.path} ${parsed.cookie.name}`;
      if (parsed.isOver) cookies.delete(key);
      else if (cookies.has(key) || cookies.size < mostCookies) cookies.set(key, parsed.cookie);
    }
  }

  /** The header of a request; null when there are no cookies for it. */
  headerFor(address: string): string | null {
    const url = URL.parse(address);
    const cookies = [...((url && this.#hosts.get(url.host)?.values()) ?? [])].filter(
      ({ path, secure }) => isWithin(url?.pathname ?? "/", path) && (!secure || url?.protocol === "https:"),
    );
    if (cookies.length === 0) return null;
    // A cookie of a longer path goes first.
    const sorted = cookies.toSorted((left, right) => right.path.length - left.path.length);
    return sorted.map(({ name, value }) => `${name}=${value}`).join("; ");
  }
}

function parseCookie(line: string, url: URL): { readonly cookie: Cookie; readonly isOver: boolean } | null {
  const [pair = "", ...attributes] = line.split(";");
  const at = pair.indexOf("=");
  const name = pair.slice(0, Math.max(0, at)).trim();
  const value = pair.slice(at + 1).trim();
  if (at === -1 || name === "" || /[^\x21-\x7e]/.test(name) || /[^\x20-\x7e]/.test(value)) return null;
  const given = new Map(
    attributes.map((attribute): [string, string] => {
      const [key = "", ...rest] = attribute.split("=");
      return [key.trim().toLowerCase(), rest.join("=").trim()];
    }),
  );
  const maxAge = given.get("max-age");
  const expires = Date.parse(given.get("expires") ?? "");
  const isOver = maxAge !== undefined && /^-?\d+$/.test(maxAge) ? Number(maxAge) <= 0 : expires <= Date.now();
  const path = given.get("path");
  const folder = url.pathname.slice(0, Math.max(1, url.pathname.lastIndexOf("/")));
  return { cookie: { name, value, path: path?.startsWith("/") ? path : folder, secure: given.has("secure") }, isOver };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
