import { useKeys } from "../parts/use-keys.ts";

interface ChoiceButtonsProps {
  readonly choices: readonly string[];
  readonly chosen: string | undefined;
  readonly onChoose: (choice: string) => void;
}

/** One button for each answer the judge may give, with the digit that presses it. */
export function ChoiceButtons({ choices, chosen, onChoose }: ChoiceButtonsProps) {
  useKeys(Object.fromEntries(choices.slice(0, 9).map((choice, index) => [String(index + 1), () => onChoose(choice)])));
  return (
    <div role="group" aria-label="Your choice" className="flex flex-wrap gap-2">
      {choices.map((choice, index) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === chosen}
          className="button verbatim aria-pressed:border-accent aria-pressed:bg-accent-ground aria-pressed:font-semibold"
          onClick={() => onChoose(choice)}
        >
          {index < 9 && (
            <kbd aria-hidden className="mono rounded border border-line bg-sunken px-1.5">
              {index + 1}
            </kbd>
          )}{" "}
          {choice}
        </button>
      ))}
    </div>
  );
}
