/** A name that every provider accepts for an argument, near to that on the wire: some refuse `filter[state]` and `$top`. */
export function toArgumentName(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  const words = name.split(/[^\w.-]+/).filter((word) => word !== "");
  return words.join("_").slice(0, 64) || "value";
}
