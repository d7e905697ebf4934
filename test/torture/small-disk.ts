import { execFileSync } from "node:child_process";

export const megabyte = 1024 * 1024;

/** A disk of its own that is full soon. Null where that is not allowed. */
export function mountSmallDisk(path: string): (() => void) | null {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", path], { stdio: "ignore" });
    return () => void execFileSync("umount", ["-l", path], { stdio: "ignore" });
  } catch {
    process.stdout.write("torture: a disk-full test was skipped, because this user may not mount a small disk\n");
    return null;
  }
}
