import { Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { problemsAt, type FieldProblem } from "../parts/forms/field-problems.ts";
import { formatCount } from "../parts/text/format.ts";
import { MatchingFields, type KnownTool } from "./call-fields.tsx";
import type { EditedScenario } from "./edited-scenario.ts";
import { ExpectFields } from "./expect-fields.tsx";
import { outcomePartLabel } from "../parts/runs/scores.ts";
import { WorldFields } from "./world-fields.tsx";

/** Pointers whose problems are shown at a field of this file. */
export const actingField =
  /^\/(tool_matching\/\w+|world\/(state|max_steps)(\/.*)?|world\/tools\/\d+\/(name|description|parameters(\/.*)?)|world\/tools\/\d+\/answers\/\d+(\/((when|set)\/.+|(remove|result)(\/.*)?|error|delay_ms))?|expect\/(rubric|max_calls(\/.*)?|(state|said|must_call|must_not_call|before|state_after)\/.+))$/;

interface ActingFieldsProps {
  readonly draft: EditedScenario;
  readonly tools: readonly KnownTool[];
  readonly problems: readonly FieldProblem[];
  readonly onChange: (changes: Partial<EditedScenario>) => void;
}

/** The world an agent acts in, how its tool calls are compared, and the expected outcome. */
export function ActingFields({ draft, tools, problems, onChange }: ActingFieldsProps) {
  const { world, tool_matching, expect } = draft;
  const hasCalls = draft.interactions.some(({ reference_tool_calls }) => reference_tool_calls);
  return (
    <>
      <Section
        title="World"
        summary={world ? formatCount(tools.length, "tool") : "none: the agent only talks"}
        problems={problemsAt(problems, "/world")}
        onAdd={world ? null : () => onChange({ world: { state: {}, tools: [] } })}
        onRemove={() => onChange({ world: null })}
      >
        {world && <WorldFields world={world} problems={problems} onChange={(next) => onChange({ world: next })} />}
      </Section>
      {(hasCalls || tool_matching) && (
        <Section
          title="Comparison of tool calls"
          summary={tool_matching ? "own rules" : "as in the run"}
          problems={problemsAt(problems, "/tool_matching")}
        >
          <MatchingFields
            matching={tool_matching ?? null}
            problems={problems}
            onChange={(next) => onChange({ tool_matching: next })}
          />
        </Section>
      )}
      <Section
        title="Expected outcome"
        summary={expect ? Object.keys(expect).map(outcomePartLabel).join(", ") || "nothing yet" : "none"}
        problems={problemsAt(problems, "/expect")}
        onAdd={expect ? null : () => onChange({ expect: {} })}
        onRemove={() => onChange({ expect: null })}
      >
        {expect && (
          <ExpectFields
            expect={expect}
            tools={tools}
            problems={problems}
            onChange={(next) => onChange({ expect: next })}
          />
        )}
      </Section>
    </>
  );
}

interface SectionProps {
  readonly title: string;
  readonly summary: string;
  readonly problems: readonly FieldProblem[];
  /** Null once the section has content; undefined for a section that always has. */
  readonly onAdd?: (() => void) | null;
  readonly onRemove?: () => void;
  readonly children: ReactNode;
}

/** A part of the scenario that most do without: a line until it is added or opened. */
function Section({ title, summary, problems, onAdd, onRemove, children }: SectionProps) {
  const [open, setOpen] = useState(false);
  if (onAdd) {
    return (
      <div className="panel flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
        <span className="text-sm font-semibold">{title}</span>
        <span className="text-sm text-soft">{summary}</span>
        <button
          type="button"
          className="button button-quiet ml-auto"
          onClick={() => {
            setOpen(true);
            onAdd();
          }}
        >
          <Plus aria-hidden size={14} /> Add
        </button>
      </div>
    );
  }
  return (
    <details
      className="panel"
      // An invalid field must be visible.
      open={open || problems.length > 0}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="px-4 py-2.5 text-sm font-semibold">
        {title} <span className="ml-2 font-normal text-soft">{summary}</span>
      </summary>
      <div data-rows="" className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 pt-1 pb-4">
        {children}
        {onRemove && (
          <button type="button" className="button button-danger justify-self-start" onClick={onRemove}>
            Remove the {title.toLowerCase()}
          </button>
        )}
      </div>
    </details>
  );
}
