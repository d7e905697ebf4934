const tag = "untrusted_tool_output";
const tagInText = new RegExp(`${tag}(?:_(\\d+))?`, "gi");

/**
 * Marks text from outside as data for the model. The text itself stays as it is: when it holds the tag already, the tag
 * gets a number the text does not hold, so nothing inside can close the fence.
 */
export function fenceUntrusted(text: string): string {
  const name = unusedTag(text);
  return `<${name}>\n${text}\n</${name}>`;
}

/** Numbers are compared as text: however long one is, `_2` is not in it. */
function unusedTag(text: string): string {
  const taken = new Set<string | undefined>();
  for (const match of text.matchAll(tagInText)) taken.add(match[1]);
  if (taken.size === 0) return tag;
  let number = 2;
  while (taken.has(String(number))) number += 1;
  return `${tag}_${number}`;
}
