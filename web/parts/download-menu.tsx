import { useMutation } from "@tanstack/react-query";
import { ChevronDown, Download } from "lucide-react";
import type { ExportedFile } from "../exported-file.ts";
import { downloadText } from "./download-text.ts";
import { FailedNotice } from "./failed-notice.tsx";
import { LeftOutNotice } from "./left-out-notice.tsx";
import { Menu, MenuItem } from "./menu.tsx";

interface FileFormat {
  readonly id: string;
  readonly title: string;
  readonly extension: string;
}

/** Something as a file in one of several formats, made by the service. `name` is that of the file, without its ending. */
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
      {download.data && <LeftOutNotice {...download.data} onClose={download.reset} />}
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
