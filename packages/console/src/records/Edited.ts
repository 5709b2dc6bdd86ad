/** A field of a record that a form can change. `FieldLabels.ts` has its label. */
export interface EditableField {
  /** Where the field is in the record, such as `identity.displayName`. */
  readonly path: string
  readonly type?: "text" | "email" | "date"
  readonly maxLength?: number
  readonly required?: boolean
  readonly hint?: string
  /** The values of a choice. The empty value, "not set", is added unless the field is required. */
  readonly options?: ReadonlyArray<readonly [value: string, words: string]>
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
  Object.fromEntries(fields.map(({ path }) => [path, String(valueAt(record, path) ?? "")]))

/** A JSON Merge Patch of texts. */
export interface Patch {
  [key: string]: Patch | string | null
}

/** The JSON Merge Patch (RFC 7396) of the fields that the person changed. An emptied field is removed by null. */
export const patchOf = (before: Texts, after: Texts, fields: ReadonlyArray<EditableField>): Patch => {
  const patch: Patch = {}
  for (const { path } of fields) {
    const text = after[path] ?? ""
    if (text === before[path]) continue
    const keys = path.split(".")
    const parent = keys.slice(0, -1).reduce<Patch>((at, key) => {
      const inner = at[key]
      const next = typeof inner === "object" && inner !== null ? inner : {}
      at[key] = next
      return next
    }, patch)
    parent[keys.at(-1) ?? ""] = text === "" ? null : text
  }
  return patch
}

/** Whether somebody else has changed a field since the form was opened. */
export const isChanged = (opened: Texts, present: Texts, { path }: EditableField): boolean =>
  opened[path] !== present[path]
