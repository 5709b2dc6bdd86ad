import { visible } from "./Told.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** A text as HTML or XML shows it, in an element or in a quoted attribute; what neither may hold is written out. */
export const escaped = (text: string): string => visible(text).replaceAll(/[&<>"']/g, (char) => entities[char] ?? "")

/** The same for an XML attribute, where line ends would be read as blanks. */
export const escapedAttribute = (text: string): string =>
  escaped(text).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")

/** A text of the catalogue, in which what stands between backquotes is code. */
export const prose = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>")
