import { isObject, type JsonObject } from "@wcs/domain/shared/Json"
import { JsonSchema, Schema } from "effect"
import { describeKeys } from "./DescribedKeys.ts"

/** A schema as OpenAPI writes it, with the named schemas that it refers to. */
export interface Written {
  readonly schema: JsonObject
  readonly components: JsonObject
}

/** Returns a schema in the form of the OpenAPI document. */
export const jsonSchemaOf = (schema: Schema.Top): Written => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema)
  const written = JsonSchema.toMultiDocumentOpenApi3_1({
    dialect: "draft-2020-12",
    schemas: [root],
    definitions
  })
  const [first] = written.schemas
  const { definitions: components } = written
  return {
    schema: isObject(first) ? describeKeys(first) : {},
    components: isObject(components) ? describeKeys(components) : {}
  }
}
