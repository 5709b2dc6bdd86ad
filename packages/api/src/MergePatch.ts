import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The body of PATCH (RFC 7396): absent fields are kept, `null` clears, arrays are replaced. Two content types. */
export const mergePatch = [
  Schema.Record(Schema.String, Schema.Json).pipe(HttpApiSchema.asJson({ contentType: "application/merge-patch+json" })),
  Schema.Record(Schema.String, Schema.Json)
] as const
