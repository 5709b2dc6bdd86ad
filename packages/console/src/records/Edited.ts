/** Values and their words. */
export type Options = ReadonlyArray<readonly [value: string, words: string]>

/** Yes and no as options. */
export const yesNo: Options = [
  ["true", "yes"],
  ["false", "no"]
]

/** A field of a record that a form can change. `FieldLabels.ts` has its label. */
export interface EditableField {
  /** Where the field is in the record, such as `identity.displayName`. */
  readonly path: string
  readonly type?: "text" | "email" | "date" | "number"
  /**
   * Values that are no text: a list, one item a line; yes and no, whose texts are `true` and `false`; or a link to
   * another record, whose text is its id.
   */
  readonly as?: "list" | "boolean" | "link"
  /** The smallest and the greatest number. */
  readonly min?: number
  readonly max?: number
  readonly maxLength?: number
  readonly required?: boolean
  readonly hint?: string
  /** The values of a choice, or a hook that reads them. "not set" is added unless there is an empty one or must be one. */
  readonly options?: Options | (() => Options)
}

/** The texts of a form, by the path of their field. */
export type Texts = Readonly<Record<string, string>>

/** The value at a dotted path of a record; undefined without one. */
export const valueAt = (record: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
      record
    )

/** The texts of a record's fields. An absent field is empty. */
export const textsOf = (record: unknown, fields: ReadonlyArray<EditableField>): Texts =>
  Object.fromEntries(
    fields.map(({ as, path }) => {
      const value = valueAt(record, as === "link" ? `${path}.id` : path) ?? ""
      return [path, Array.isArray(value) ? value.join("\n") : String(value)]
    })
  )

type Value = string | number | boolean | ReadonlyArray<string>

/** A JSON Merge Patch. */
export interface Patch {
  [key: string]: Patch | Value | null
}

/** The items of a list in a text. */
export const itemsOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

const valueIn = (text: string, { as, type }: EditableField): Patch | Value | null => {
  if (as === "list") {
    const items = itemsOf(text)
    return items.length === 0 ? null : items
  }
  if (text === "") return null
  if (as === "boolean") return text === "true"
  if (as === "link") return { id: text }
  return type === "number" ? Number(text) : text
}

/** The JSON Merge Patch (RFC 7396) of the fields that the person changed. An emptied field is removed by null. */
export const patchOf = (before: Texts, after: Texts, fields: ReadonlyArray<EditableField>): Patch => {
  const patch: Patch = {}
  for (const field of fields) {
    const { path } = field
    const text = after[path] ?? ""
    if (text === (before[path] ?? "")) continue
    const keys = path.split(".")
    const parent = keys.slice(0, -1).reduce<Patch>((at, key) => {
      const inner = at[key]
      const next: Patch = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? (inner as Patch) : {}
      at[key] = next
      return next
    }, patch)
    parent[keys.at(-1) ?? ""] = valueIn(text, field)
  }
  return patch
}

/** Whether somebody else has changed a field since the form was opened. */
export const isChanged = (opened: Texts, present: Texts, { path }: EditableField): boolean =>
  opened[path] !== present[path]
