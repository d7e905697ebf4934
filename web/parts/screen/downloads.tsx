import { useMutation } from "@tanstack/react-query";
import { ChevronDown, Download, TriangleAlert, X } from "lucide-react";
import type { ExportedFile, ExportOmissions } from "../../api/http.ts";
import { formatInteger } from "../text/format.ts";
import { Menu, MenuItem } from "./menu.tsx";
import { FailedNotice } from "./notices.tsx";

interface FileFormat {
  readonly id: string;
  readonly title: string;
  readonly extension: string;
}

/** Downloads a file in one of several formats. `name` is the file name without extension. */
export function DownloadMenu({
  name,
  formats,
  read,
}: {
  name: string;
  formats: readonly FileFormat[];
  read: (format: string) => Promise<ExportedFile>;
}) {
  const download = useMutation({
    mutationFn: async ({ id, extension }: FileFormat) => {
      const file = `${name}.${extension}`;
      const { text, leftOut } = await read(id);
      downloadText(file, text);
      return leftOut && { file, leftOut };
    },
  });
  return (
    <>
      {download.error && <FailedNotice error={download.error} />}
      {download.data && <OmissionNotice {...download.data} onClose={download.reset} />}
      <Menu
        trigger={
          <>
            <Download aria-hidden size={14} /> {download.isPending ? "Exporting …" : "Export"}
            <ChevronDown aria-hidden size={14} className="max-sm:hidden" />
          </>
        }
      >
        {formats.map((format) => (
          <MenuItem
            key={format.id}
            note={`.${format.extension}`}
            disabled={download.isPending}
            onSelect={() => download.mutate(format)}
          >
            {format.title}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}

interface OmissionNoticeProps {
  readonly file: string;
  readonly leftOut: ExportOmissions;
  readonly onClose: () => void;
}

/** Lists what the export format could not hold. */
function OmissionNotice({ file, leftOut: { count, notes }, onClose }: OmissionNoticeProps) {
  return (
    <section
      aria-label="Not included in the file"
      className="order-last grid w-0 min-w-full grid-cols-[minmax(0,1fr)_auto] items-start gap-1.5 rounded-lg bg-warn-ground p-3 text-sm text-warn"
    >
      <p role="status" className="flex items-start gap-2 font-semibold">
        <TriangleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
        <span className="verbatim">{file} is incomplete: its format cannot hold everything</span>
      </p>
      <button type="button" className="button button-quiet" aria-label="Close" onClick={onClose}>
        <X aria-hidden size={14} />
      </button>
      <ul className="col-span-2 grid max-h-48 gap-1 overflow-y-auto text-ink" tabIndex={0} aria-label="Omissions">
        {notes.map((note, index) => (
          <li key={index} className="verbatim">
            {note}
          </li>
        ))}
        {count > notes.length && <li className="text-soft">and {formatInteger(count - notes.length)} more</li>}
      </ul>
    </section>
  );
}

/** Saves text as a file through the browser. */
export function downloadText(name: string, text: string, type = "text/plain"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
