import { Schema } from "effect"
import type { Json } from "../wire/Json.ts"
import { Profile } from "./Profile.ts"

/** The file of the published JSON Schema of profiles, in the folder of this suite. */
export const profileSchemaFile = "profile.schema.json"

/** The JSON Schema (draft 2020-12) of what a definition reads. */
export const documentOf = (definition: Schema.Top): Json => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(definition, { onExcessProperty: "error" })
  const document = { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions }
  return JSON.parse(JSON.stringify(document))
}

/**
 * The JSON Schema (draft 2020-12) of profiles, made from the same definition that reads them: what the published file
 * holds.
 *
 * @public
 */
export const profileSchema = (): Json => documentOf(Profile)
