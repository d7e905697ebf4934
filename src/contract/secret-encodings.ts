/** How a secret stands in a text that carries bytes: in hex, and in base64, wherever in it the secret begins. */
export function secretEncodings(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((offset) => base64Core(bytes, offset))];
}

/** Less could be in any text. */
const shortestCore = 8;

/** The part of the base64 text that is the same whatever stands around the secret, when it starts at this offset of a group. */
function base64Core(bytes: Uint8Array, offset: number): readonly string[] {
  const shifted = [...Array.from({ length: offset }, () => 0), ...bytes];
  const whole = shifted.slice(0, shifted.length - (shifted.length % 3));
  const core = btoa(String.fromCharCode(...whole)).slice(offset === 0 ? 0 : 4);
  if (core.length < shortestCore) return [];
  return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
}
