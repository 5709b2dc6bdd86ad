import { Result, Schema } from "effect"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { line } from "../shared/Text.ts"
import { type MessageKind, type Placeholder, placeholders, placeholdersOf } from "./MessageKind.ts"

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
      "Plain text. Placeholders, by kind of message: " +
      `${placeholders.map((name) => `\`{${name}}\``).join(", ")}. The HTML part is made from it.`
  })
})
export type Template = typeof Template.Type

/** The values of the placeholders. `items` is a list of lines. One that is absent shows nothing. */
export type Values = Readonly<Partial<Record<Exclude<Placeholder, "items">, string>>> & {
  readonly items?: ReadonlyArray<string>
}

/** What a message says, besides its tenant and the day. */
export type Contents = Omit<Values, "organization" | "date">

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

/** Fails if a template names a placeholder that its kind has not. `field` is the template's place in the body. */
export const requireKnown = (
  field: string,
  kind: MessageKind,
  template: Template
): Result.Result<Template, InvalidArgument> => {
  const known = placeholdersOf[kind]
  for (const part of ["subject", "text"] as const) {
    const unknown = [...template[part].matchAll(form)].find(([, name]) => !known.some((one) => one === name))
    if (unknown !== undefined) {
      const reason = `has the unknown placeholder ${unknown[0]}. Known: ${known.map((name) => `{${name}}`).join(", ")}`
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
      if (name === "items") return (values.items ?? []).map((item) => escaped(plain(item))).join("<br>")
      const value = escaped(plain(values[name] ?? ""))
      return name === "link" ? `<a href="${value}">${value}</a>` : value
    })
  const paragraphs = text.split(/\n{2,}/).flatMap((lines) => {
    const filled = paragraph(lines).replaceAll("\n", "<br>")
    return filled === "" ? [] : [`<p>${filled}</p>`]
  })
  return `<!doctype html><html><body>${paragraphs.join("\n")}</body></html>`
}

/** Fills a template. Values are text: they add no line to the subject, and no markup to the HTML. */
export const render = ({ subject, text }: Template, values: Values): Rendered => {
  const lines = text.replaceAll(/\r\n?/g, "\n")
  const items = (values.items ?? []).map(plain)
  const list = items.map((item) => `- ${item}`)
  const inText = (name: Placeholder) => (name === "items" ? list.join("\n") : plain(values[name] ?? ""))
  const inLine = (name: Placeholder) => (name === "items" ? items.join(", ") : plain(values[name] ?? ""))
  // An absent value leaves no gap.
  const filled = fill(lines, inText).replaceAll(/\n{3,}/g, "\n\n")
  return { subject: fill(subject, inLine), text: filled, html: htmlOf(lines, values) }
}
