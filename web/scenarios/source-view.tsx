import { useId, useImperativeHandle, useRef, useState, type Ref } from "react";
import { flushSync } from "react-dom";
import { useQuery } from "@tanstack/react-query";
import { findUnparsed } from "../parts/forms/json-field.tsx";
import { SegmentedControl } from "../parts/forms/segmented-control.tsx";
import { CopyButton } from "../parts/text/copy-button.tsx";
import { formatInteger } from "../parts/text/format.ts";
import { fromDraft, toDraft, type EditedScenario } from "./edited-scenario.ts";

/** A text form of scenarios. `parse` throws an error that says where the text is wrong. */
interface SourceFormat {
  readonly name: string;
  readonly write: (value: unknown) => string;
  readonly parse: (text: string) => unknown;
}

const json: SourceFormat = {
  name: "JSON",
  write: (value) => JSON.stringify(value, null, 2),
  parse: (text) => JSON.parse(text) as unknown,
};

/** The parser is loaded when it is first needed: most scenarios are edited in the form. */
async function loadYaml(): Promise<SourceFormat> {
  const { parse, stringify } = await import("yaml");
  return {
    name: "YAML",
    write: (value) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }),
    parse: (text) => parse(text) as unknown,
  };
}

interface SourceViewProps {
  readonly draft: EditedScenario;
  readonly onChange: (draft: EditedScenario) => void;
}

/** The text last typed, and the text of the draft at that time. */
interface TypedText {
  readonly text: string;
  readonly basis: string;
}

export interface SourceViewHandle {
  /** Shows and focuses the text with an error in the format that is not shown; false if there is none. */
  readonly showHiddenProblem: () => boolean;
}

/** The scenario as editable text, JSON or YAML. */
export function SourceView({ draft, onChange, ref }: SourceViewProps & { readonly ref: Ref<SourceViewHandle> }) {
  const section = useRef<HTMLElement>(null);
  const [choice, setChoice] = useState<"json" | "yaml">("json");
  /** By format, so that text with an error outlives a look at the other format. */
  const [typed, setTyped] = useState<Readonly<Record<string, TypedText>>>({});
  const yaml = useQuery({
    queryKey: ["yaml"],
    queryFn: loadYaml,
    enabled: choice === "yaml",
    staleTime: Infinity,
    gcTime: Infinity,
  });
  const format = choice === "yaml" ? yaml.data : json;
  useImperativeHandle(ref, () => ({
    showHiddenProblem: () => {
      const hidden = choice === "yaml" ? json : yaml.data;
      if (!hidden || readText(hidden, draft, typed[hidden.name]).problem === null) return false;
      flushSync(() => setChoice(choice === "yaml" ? "json" : "yaml"));
      if (section.current) findUnparsed(section.current)?.focus();
      return true;
    },
  }));
  return (
    <section
      ref={section}
      aria-label="Text"
      className="panel grid grid-cols-[minmax(0,1fr)] gap-2 p-4 lg:sticky lg:top-6"
    >
      <div className="flex flex-wrap items-center justify-between gap-1">
        <SegmentedControl
          legend="Text format"
          segments={[
            { value: "json", label: "JSON" },
            { value: "yaml", label: "YAML" },
          ]}
          value={choice}
          onChange={setChoice}
        />
        {format && <CopyButton text={() => format.write(fromDraft(draft))} />}
      </div>
      {format ? (
        <SourceText
          key={format.name}
          format={format}
          draft={draft}
          typed={typed[format.name]}
          onTyped={(text) => setTyped({ ...typed, [format.name]: text })}
          onChange={onChange}
        />
      ) : (
        <p role="status" className="text-sm text-soft">
          {yaml.isError ? "YAML could not be loaded. Use JSON, or reload the page." : "Loading …"}
        </p>
      )}
    </section>
  );
}

/** A longer text would make every key press slow. */
const longestText = 1_000_000;

interface SourceTextProps extends SourceViewProps {
  readonly format: SourceFormat;
  readonly typed: TypedText | undefined;
  readonly onTyped: (typed: TypedText) => void;
}

/** Text that is not a scenario yet does not change the draft, and keeps the form from being saved. */
function SourceText({ format, draft, typed, onTyped, onChange }: SourceTextProps) {
  const id = useId();
  const { written, text, isShown, problem, hasOvertakenError } = readText(format, draft, typed);

  if (written.length > longestText) {
    return (
      <p className="text-sm text-soft">
        This scenario has {formatInteger(written.length)} characters: too many to edit as text here. Edit its file and
        import it.
      </p>
    );
  }
  return (
    <>
      <textarea
        id={id}
        aria-label={format.name}
        className="field mono min-h-[50vh] resize-y"
        spellCheck={false}
        value={isShown ? text : written}
        data-unparsed={problem === null ? undefined : ""}
        aria-invalid={problem !== null}
        aria-describedby={problem ? `${id}-note` : undefined}
        onChange={({ target }) => {
          onTyped({ text: target.value, basis: written });
          const changed = readDraft(target.value, format).draft;
          if (changed) onChange(changed);
        }}
      />
      {problem && (
        <p id={`${id}-note`} className="verbatim text-xs font-medium text-bad">
          ✕ {problem}
        </p>
      )}
      {hasOvertakenError && (
        <p role="status" className="text-xs text-soft">
          The form changed while your text had an error.{" "}
          <button type="button" className="link" onClick={() => onTyped({ text, basis: written })}>
            Bring my text back
          </button>
        </p>
      )}
    </>
  );
}

/** The typed text beside the text of the draft. It stays as formatted by the user until the draft changes elsewhere. */
function readText(format: SourceFormat, draft: EditedScenario, typed: TypedText | undefined) {
  const written = format.write(fromDraft(draft));
  const { text, basis } = typed ?? { text: written, basis: written };
  const read = readDraft(text, format);
  const isShown = (read.draft ? format.write(fromDraft(read.draft)) : basis) === written;
  return {
    written,
    text,
    isShown,
    problem: isShown ? read.problem : null,
    hasOvertakenError: !isShown && read.problem !== null,
  };
}

type ReadDraft =
  | { readonly draft: EditedScenario; readonly problem: null }
  | { readonly draft: null; readonly problem: string };

function readDraft(text: string, { name, parse }: SourceFormat): ReadDraft {
  try {
    const draft = toDraft(parse(text));
    if (draft) return { draft, problem: null };
    return { draft: null, problem: 'Not a scenario. Expected an object with "id" and a list of "interactions".' };
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error);
    return { draft: null, problem: `Not valid ${name}: ${reason}` };
  }
}
