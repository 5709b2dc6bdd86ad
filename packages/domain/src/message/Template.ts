import { Result, Schema } from "effect"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { line } from "../shared/Text.ts"
import { type Placeholder, placeholders } from "./MessageKind.ts"

/** Control characters, other than tabs and line ends. */
const control = /(?![\t\r\n])\p{Cc}/u

/** The most characters of the text of a template. */
const textMax = 4000

/** The words of a message, with placeholders such as `{organization}`. */
export const Template = Schema.Struct({
  subject: line(200).annotateKey({ description: "Subject, with placeholders such as `{organization}`." }),
  text: Schema.String.check(
    Schema.isMinLength(1, { message: "must not be empty" }),
    Schema.isMaxLength(textMax, { message: `must have at most ${textMax} characters` }),
    Schema.makeFilter((text: string) => !control.test(text) || "must not contain control characters"),
    Schema.makeFilter((text: string) => text.isWellFormed() || "must be well-formed Unicode")
  ).annotateKey({
    description:
      "Plain text. Placeholders: `{organization}`, `{date}`, `{count}`, `{items}`, `{link}`. The HTML part is made from it."
  })
})
export type Template = typeof Template.Type

/** The values of the placeholders. `items` is a list of lines. */
export type Values = Readonly<Record<Exclude<Placeholder, "items">, string>> & {
  readonly items: ReadonlyArray<string>
}

/** A message as its readers see it. */
export interface Rendered {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** A message on the wire, without its HTML: that has the same text. */
export const RenderedDocument = Schema.Struct({
  subject: Schema.String.annotateKey({ description: "Subject of the message." }),
  text: Schema.String.annotateKey({ description: "Plain text of the message. Its HTML part has the same text." })
})
export type RenderedDocument = typeof RenderedDocument.Type

const form = /\{([A-Za-z]+)\}/g

const isPlaceholder = (name: string): name is Placeholder => (placeholders as ReadonlyArray<string>).includes(name)

/** Fails if a template names an unknown placeholder. `field` is the template's place in the body. */
export const requireKnown = (field: string, template: Template): Result.Result<Template, InvalidArgument> => {
  for (const part of ["subject", "text"] as const) {
    const unknown = [...template[part].matchAll(form)].find(([, name = ""]) => !isPlaceholder(name))
    if (unknown !== undefined) {
      const reason = `has the unknown placeholder ${unknown[0]}. Known: ${placeholders.map((name) => `{${name}}`).join(", ")}`
      return Result.fail(new InvalidArgument({ field: `${field}.${part}`, reason }))
    }
  }
  return Result.succeed(template)
}

/** Fills the placeholders in one pass, so that a value is never read as a template. */
const fill = (text: string, valueFor: (name: Placeholder) => string): string =>
  text.replaceAll(form, (whole, name: string) => (isPlaceholder(name) ? valueFor(name) : whole))

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? "")

/** Control characters, line ends and marks that turn the direction of text do not belong in a value. */
const plain = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu, " ")
    .trim()

const htmlOf = (text: string, values: Values): string => {
  const paragraph = (lines: string) =>
    fill(escaped(lines), (name) => {
      if (name === "items") return values.items.map((item) => escaped(plain(item))).join("<br>")
      const value = escaped(plain(values[name]))
      return name === "link" ? `<a href="${value}">${value}</a>` : value
    })
  const paragraphs = text.split(/\n{2,}/).map((lines) => `<p>${paragraph(lines).replaceAll("\n", "<br>")}</p>`)
  return `<!doctype html><html><body>${paragraphs.join("\n")}</body></html>`
}

/** Fills a template. Values are text: they add no line to the subject, and no markup to the HTML. */
export const render = ({ subject, text }: Template, values: Values): Rendered => {
  const lines = text.replaceAll(/\r\n?/g, "\n")
  const list = values.items.map((item) => `- ${plain(item)}`)
  const inText = (name: Placeholder) => (name === "items" ? list.join("\n") : plain(values[name]))
  const inLine = (name: Placeholder) => (name === "items" ? values.items.map(plain).join(", ") : plain(values[name]))
  return { subject: fill(subject, inLine), text: fill(lines, inText), html: htmlOf(lines, values) }
}
