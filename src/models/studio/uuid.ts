const hyphenated = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const digits = `(?:${hyphenated}|[0-9a-f]{32})`;
const forms = new RegExp(String.raw`^(?:${digits}|urn:uuid:${digits}|\{${digits}\})$`, "i");

/** True for a UUID of any version and variant, in any usual spelling: hyphenated, bare hex, braced or `urn:uuid:`. */
export function isUuid(value: string): boolean {
  return forms.test(value);
}

/** One spelling for all spellings of a UUID, for comparison only: what a caller sent is forwarded as it came. */
export function canonicalUuid(uuid: string): string {
  const hex = uuid
    .toLowerCase()
    .replace(/^urn:uuid:/, "")
    .replaceAll(/[^0-9a-f]/g, "");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
