import { formatInteger } from "./format.ts";

/** The way from the beginning of a long text to all of it. */
export function WholeTextButton({ length, onShow }: { length: number; onShow: () => void }) {
  return (
    <button type="button" className="button justify-self-start" onClick={onShow}>
      Show all {formatInteger(length)} characters
    </button>
  );
}
