const plainId = /^[\x21-\x7e]{1,64}$/;

/** Whether a text can be an id or a version that we gave. Any other text a client sends was never one, and a text column might refuse it. */
export function isPlainId(text: string): boolean {
  return plainId.test(text);
}
