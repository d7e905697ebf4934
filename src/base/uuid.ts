let lastTime = 0;
let sequence = 0;

/** A version 7 UUID: in the order of creation, also within a millisecond, for all ids of this process. */
export function uuidV7(now: number = Date.now()): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const [random = 0] = new Uint16Array(bytes.buffer, 6, 1);
  // The first of a millisecond leaves room for as many after it.
  sequence = now > lastTime ? random % 2048 : sequence + 1;
  lastTime = Math.max(now, lastTime) + (sequence > 4095 ? 1 : 0);
  sequence %= 4096;
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(lastTime / 65_536));
  view.setUint16(4, lastTime % 65_536);
  view.setUint16(6, 0x7000 | sequence);
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
