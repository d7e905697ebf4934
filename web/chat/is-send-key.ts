import type { KeyboardEvent } from "react";

/** Enter sends and Shift + Enter is a new line. While an input method is composing, Enter belongs to it: Safari says so only by the key's code. */
export const isSendKey = ({ key, shiftKey, nativeEvent, keyCode }: KeyboardEvent): boolean =>
  key === "Enter" && !shiftKey && !nativeEvent.isComposing && keyCode !== 229;
