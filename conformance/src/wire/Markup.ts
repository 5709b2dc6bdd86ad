const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const charOf = (point: number): string => (point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : "")

/** HTML or XML text with its entities decoded. */
export const unescaped = (text: string): string =>
  text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w+));/g,
    (found, decimal?: string, hex?: string, name = "") => {
      if (decimal !== undefined) return charOf(Number(decimal))
      return hex === undefined ? (named[name] ?? found) : charOf(Number.parseInt(hex, 16))
    }
  )

/** The attributes of a start tag, by name. */
export const attributesOf = (tag: string): ReadonlyMap<string, string> =>
  new Map(
    [...tag.matchAll(/\s([^\s=>/"']+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/g)].map(
      ([, name = "", double, single, bare]) => [name, unescaped(double ?? single ?? bare ?? "")]
    )
  )

/** A form of a page: its target and its fields. */
export interface Form {
  readonly action: string
  readonly fields: ReadonlyMap<string, string>
}

/** The forms of a page, with the fields that have a value. */
export const formsIn = (html: string): ReadonlyArray<Form> =>
  [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)(?:<\/form\s*>|$)/gi)].map(([, tag = "", inside = ""]) => ({
    action: attributesOf(tag).get("action") ?? "",
    fields: new Map(
      [...inside.matchAll(/<input\b([^>]*)>/gi)].map(([, input = ""]) => {
        const attributes = attributesOf(input)
        return [attributes.get("name") ?? "", attributes.get("value") ?? ""]
      })
    )
  }))
