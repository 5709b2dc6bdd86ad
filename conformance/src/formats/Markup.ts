import { visible } from "../text/Visible.ts"

/**
 * Escapes text for HTML and XML, in elements and in quoted attributes. Replaces characters that HTML or XML forbids by
 * codes.
 */
export const escaped = (text: string): string =>
  visible(text)
    .replaceAll("&", "&amp;") // first, because the others contain it
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")

/** Escapes text for an XML attribute, where line ends would be read as blanks. */
export const escapedAttribute = (text: string): string =>
  escaped(text).replaceAll("\n", "&#10;").replaceAll("\t", "&#9;")

/** Escapes a text of the catalogue. Text between backquotes becomes code. */
export const prose = (text: string): string => escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>")
