import { Schema } from "effect"
import type { Json } from "../text/Json.ts"
import { Profile } from "./Profile.ts"

/** The file name of the published JSON Schema of profiles. */
export const profileSchemaFile = "profile.schema.json"

/** Returns the JSON Schema (draft 2020-12) of a definition. */
export const documentOf = (definition: Schema.Top): Json => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(definition, { onExcessProperty: "error" })
  const document = { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions }
  return JSON.parse(JSON.stringify(document))
}

/**
 * Returns the JSON Schema (draft 2020-12) of profiles, the content of the published file.
 *
 * @public
 */
export const profileSchema = (): Json => documentOf(Profile)
