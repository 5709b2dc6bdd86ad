import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The body of PATCH: absent keeps, `null` clears, arrays replace (RFC 7396), under either content type. */
export const mergePatch = [
  Schema.Record(Schema.String, Schema.Json).pipe(HttpApiSchema.asJson({ contentType: "application/merge-patch+json" })),
  Schema.Record(Schema.String, Schema.Json)
] as const
