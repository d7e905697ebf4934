const allowed = new Set(["http:", "https:", "mailto:"]);

/** The address when it is absolute and leads to a web page or a mailbox, else nothing. */
export function safeHref(href: string | undefined): string | undefined {
  const url = href === undefined ? null : URL.parse(href);
  return url && allowed.has(url.protocol) ? url.href : undefined;
}
