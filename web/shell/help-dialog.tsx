import { ModalDialog } from "../parts/modal-dialog.tsx";

const groups: readonly { title: string; keys: readonly (readonly [string, string])[] }[] = [
  {
    title: "Everywhere",
    keys: [
      ["?", "This help"],
      ["/", "Go to the filter; Enter leaves it, Esc empties it"],
    ],
  },
  {
    title: "Lists (runs, scenarios of a run, changes)",
    keys: [
      ["j  k", "Next, previous row; Enter opens it"],
      ["x", "Choose the run under the focus"],
      ["c", "Compare what is chosen, or this run"],
      ["n", "The first failure of a run"],
    ],
  },
  {
    title: "Transcript",
    keys: [
      ["j  k", "Next, previous turn"],
      ["n  p", "Next, previous failure"],
      ["d", "Change how reply and reference are compared"],
      ["a", "The same turn in all attempts"],
      ["h", "Own or reference replies as history, where a run has both"],
      ["[  ]", "Previous, next attempt"],
      ["u", "Up to the run"],
    ],
  },
  {
    title: "Check the judge",
    keys: [
      ["1  9", "Your choice, from the first to the ninth; then comes the next reply"],
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
    <ModalDialog title="Keys" onClose={onClose}>
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
        Nothing on this page leaves this machine except the calls you make to your models.
      </p>
    </ModalDialog>
  );
}
