/** FNV-1a over UTF-16 code units: a number below 2^32, the same on every machine. Not for secrets; different texts may collide. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
