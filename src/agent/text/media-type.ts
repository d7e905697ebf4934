/** The type that a Content-Type names, in lower case and without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

export function isPage(type: string): boolean {
  return type === "text/html" || type === "application/xhtml+xml";
}

/** Whether a service's answer of this type is text. One of no stated type is taken for it. */
export function isText(type: string): boolean {
  return type === "" || type.startsWith("text/") || /json|xml|yaml/.test(type);
}
