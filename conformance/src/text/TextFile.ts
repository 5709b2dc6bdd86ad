import { readFileSync } from "node:fs"

/** Reads a text file that people edit. Drops the byte-order mark, and the carriage returns of Windows. */
export const readTextFile = (file: string): string =>
  readFileSync(file, "utf8")
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
