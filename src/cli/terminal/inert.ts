/**
 * Build servers act on lines of a log: `::error::` at the beginning of one on GitHub, `##vso[…]` anywhere in one on Azure, where it
 * can set a variable or the path of the steps that follow; TeamCity has `##teamcity[…]`. What a model or a file says must not.
 */
export function inert(text: string): string {
  // Looked for from the colons backwards: from the line ends, of which a run of white space may be made, it would be read anew for each.
  return text.replace(/(?<=^[^\S\n]*):(?=:)/gm, ": ").replace(/##(?=\w*\[)/g, "## ");
}

/** The same for a JSON document, which says the same afterwards. */
export function inertJson(json: string): string {
  return json.replace(/##(?=\w*\[)/g, "#\\u0023");
}

/** The same for XML. */
export function inertXml(xml: string): string {
  return xml.replace(/(?<=^[^\S\n]*):(?=:)/gm, "&#58;").replace(/##(?=\w*\[)/g, "#&#35;");
}
