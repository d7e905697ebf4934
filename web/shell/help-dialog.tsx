import { ModalDialog } from "../parts/screen/dialogs.tsx";

const groups: readonly { title: string; keys: readonly (readonly [string, string])[] }[] = [
  {
    title: "Everywhere",
    keys: [
      ["?", "Show this help"],
      ["/", "Focus the filter (Enter leaves it, Esc clears it)"],
    ],
  },
  {
    title: "Lists (runs, scenarios of a run, changes)",
    keys: [
      ["j  k", "Next, previous row (Enter opens it)"],
      ["x", "Select the focused run"],
      ["c", "Compare the selected runs, or this run"],
      ["n", "First failure of a run"],
    ],
  },
  {
    title: "Transcript",
    keys: [
      ["j  k", "Next, previous turn"],
      ["n  p", "Next, previous failure"],
      ["d", "Switch how reply and reference are compared"],
      ["a", "Same turn in all attempts"],
      ["b", "Same turn in other runs"],
      ["f", "Fold or unfold passed turns"],
      ["h", "Switch between own and reference replies as history"],
      ["[  ]", "Previous, next attempt"],
      ["u", "Up to the run"],
    ],
  },
  {
    title: "Review replies",
    keys: [
      ["1  9", "Judge the reply and go to the next"],
      ["c", "Write a comment (Esc leaves it)"],
      ["s", "Skip the reply"],
      ["j  k", "Next, previous reply"],
    ],
  },
  {
    title: "Chat",
    keys: [
      ["Enter", "Send (Shift + Enter for a new line)"],
      ["Esc", "Stop the answer"],
    ],
  },
];

export function HelpDialog({ onClose }: { onClose: () => void }) {
  return (
    <ModalDialog title="Shortcuts" onClose={onClose}>
      {groups.map((group) => (
        <section key={group.title} className="grid gap-1">
          <h3 className="text-sm font-semibold text-soft">{group.title}</h3>
          <dl className="grid grid-cols-[5rem_1fr] gap-y-1 text-sm">
            {group.keys.map(([keys, meaning]) => (
              <div key={keys} className="contents">
                <dt className="flex gap-1">
                  {keys.split("  ").map((key) => (
                    <kbd key={key} className="mono rounded border border-line bg-sunken px-1.5">
                      {key}
                    </kbd>
                  ))}
                </dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p className="text-sm text-soft">
        This page sends nothing to the internet. Only calls to your models leave this machine.
      </p>
    </ModalDialog>
  );
}
