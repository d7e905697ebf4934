const tag = "untrusted_tool_output";
const tagInText = new RegExp(`${tag}(?:_(\\d{1,9}))?`, "gi");

/**
 * Marks text from outside as data for the model. The text itself stays as it is: when it holds the tag already, the tag
 * gets a number the text does not hold, so nothing inside can close the fence.
 */
export function fenceUntrusted(text: string): string {
  const name = unusedTag(text);
  return `<${name}>\n${text}\n</${name}>`;
}

function unusedTag(text: string): string {
  let highest = 0;
  for (const match of text.matchAll(tagInText)) highest = Math.max(highest, Number(match[1] ?? 1));
  return highest === 0 ? tag : `${tag}_${highest + 1}`;
}
