/** Markup that is safe to put into a page. */
export interface Html {
  readonly html: string
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? character)

type Part = Html | string | ReadonlyArray<Html>

const markupOf = (part: Part): string => {
  if (typeof part === "string") return escapeHtml(part)
  return "html" in part ? part.html : part.map(({ html }) => html).join("")
}

/** Builds markup. Text is escaped, and `Html` is inserted as it is. */
export const html = (texts: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  html: texts.reduce((page, text, index) => page + markupOf(parts[index - 1] ?? "") + text)
})
